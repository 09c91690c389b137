import { mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { jsonlStore, nodeHasher, processHolder } from '@rein/harness'
import { type LineSink, type SessionEvent, SessionLog } from '@rein/session'
import { madeLog, mixed, nowhere, ports, scratch, someHeader } from './made-logs.ts'
import { cpu, inTurn, type Row } from './measure.ts'

/** Events of one write: a barrier comes after a few, a burst is longer. */
const batch = 100
const budget = { words: '≥ 40,000 buffered appends a second', limit: 40_000, atLeast: true } as const

/** How many events a second of CPU appends: checked, frozen, hashed, handed to a store that keeps nothing, and to the real one. */
export async function append(): Promise<Row[]> {
  using folder = scratch()
  const { log } = await madeLog({ steps: 1500, header: someHeader, results: mixed })
  const { events } = log
  const perSecond = async (work: () => Promise<void>) => (events.length / (await cpu(work))) * 1000
  const bareFile = openSync(join(folder.path, 'bare.jsonl'), 'w')
  const taken = await inTurn(9, {
    buffered: () => perSecond(() => appendAll(events, nowhere)),
    bare: () => perSecond(async () => bareLines(events, () => undefined)),
    stored: async () => {
      const { lease, done } = await newLease(folder.path)
      const rate = await perSecond(() => appendAll(events, lease))
      await done()
      return rate
    },
    bareStored: () => perSecond(async () => bareLines(events, (lines) => writeSync(bareFile, lines))),
  })
  const { buffered, bare, stored, bareStored } = taken
  const note = 'bare: JSON.stringify and SHA-256'
  const unit = 'per CPU s'
  return [
    { name: 'append, buffered', unit, ours: buffered, bare, budget, note },
    { name: `append, JSONL store, ${batch} a write`, unit, ours: stored, bare: bareStored, note: `${note}, writeSync` },
  ]
}

async function appendAll(events: readonly SessionEvent[], sink: LineSink): Promise<void> {
  const log = new SessionLog({ ports, sink })
  for (const [index, { type, data, surface }] of events.entries()) {
    log.append(type, data, surface && { surface })
    if (index % batch === batch - 1) await log.written()
  }
  await log.written()
}

/** The least a log with a hash chain does: serialise, hash, write. */
function bareLines(events: readonly SessionEvent[], write: (lines: string) => void): void {
  let pending = ''
  let hash = ''
  for (const [seq, { type, data, time }] of events.entries()) {
    const line = JSON.stringify({ seq, time, type, data })
    hash = nodeHasher().update(hash).update(line).digest()
    pending += `${line}${hash}\n`
    if (seq % batch !== batch - 1) continue
    write(pending)
    pending = ''
  }
  write(pending)
}

async function newLease(folder: string) {
  const home = join(folder, ports.id('home'))
  mkdirSync(home)
  const lease = await jsonlStore({ home, now: Date.now }).create('bench', { cwd: '/', holder: processHolder() })
  if (!lease.ok) throw new Error(lease.failure.message)
  return { lease: lease.value, done: () => lease.value.release() }
}
