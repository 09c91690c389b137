import { closeSync, fdatasync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { homeStore, nodeHasher, processHolder } from '@rein/harness'
import { SessionLog } from '@rein/session'
import { ports, scratch } from './made-logs.ts'
import { inTurn, type Row } from './measure.ts'

/** Events of one round, each brought to the disk before the next. */
const events = 100
/** What is appended: a message of one kilobyte. */
const message = { content: [{ type: 'text', text: 'x'.repeat(900) }], source: { kind: 'person' } } as const

const dataSync = promisify(fdatasync)

/** An event on the disk, beside a line of the same size written and synced by hand, in either store. */
export async function durable(): Promise<Row[]> {
  using folder = scratch()
  const taken = await inTurn(9, {
    jsonl: () => appended(folder.path, 'jsonl'),
    sqlite: () => appended(folder.path, 'sqlite'),
    bare: () => byHand(folder.path),
  })
  const { jsonl, sqlite, bare } = taken
  const budget = { words: '≤ 1.5 × write + fdatasync', limit: 1.5 * bare }
  const unit = 'wall ms'
  return [
    { name: 'append and sync an event, JSONL', unit, ours: jsonl, bare, budget, note: 'bare: writeSync and fdatasync' },
    { name: 'append and sync an event, SQLite', unit, ours: sqlite, bare, budget, note: 'WAL, full sync' },
  ]
}

/** @returns milliseconds an event. */
async function appended(folder: string, keep: 'jsonl' | 'sqlite'): Promise<number> {
  const home = join(folder, keep)
  mkdirSync(home, { recursive: true })
  const store = homeStore({ home, now: Date.now, keep })
  const lease = await store.create(ports.id('s'), { cwd: '/', holder: processHolder() })
  if (!lease.ok) throw new Error(lease.failure.message)
  const log = new SessionLog({ ports, sink: lease.value })
  log.append('session/start', { format: 1, id: 's', cwd: '/', rein: 'bench' })
  await log.synced()
  const started = performance.now()
  for (let count = 0; count < events; count++) {
    log.append('user/message', message)
    await log.synced()
  }
  const tookMs = performance.now() - started
  await lease.value.release()
  return tookMs / events
}

async function byHand(folder: string): Promise<number> {
  const fd = openSync(join(folder, ports.id('bare')), 'a')
  const started = performance.now()
  let hash = ''
  for (let seq = 0; seq < events; seq++) {
    const line = JSON.stringify({ seq, time: Date.now(), type: 'user/message', data: message })
    hash = nodeHasher().update(hash).update(line).digest()
    writeSync(fd, `${line}${hash}\n`)
    await dataSync(fd)
  }
  const tookMs = performance.now() - started
  closeSync(fd)
  return tookMs / events
}
