import { globSync, statSync } from 'node:fs'
import { open as openFile } from 'node:fs/promises'
import { join } from 'node:path'
import { jsonlStore, nodeHasher, processHolder } from '@rein/harness'
import { readLog, SessionLog } from '@rein/session'
import { ports } from './made-logs.ts'
import { cpu } from './measure.ts'

export interface Opened {
  readonly cpuMs: number
  readonly wallMs: number
  /** What stays on the heap after a collection, buffers included, over what was there before, MB. */
  readonly keptMb: number
  readonly events: number
  readonly bytes: number
}

// Opens one session, in the way its first argument says, and prints what that took.
const [how, home = '', id = ''] = process.argv.slice(2)
const [path = ''] = globSync(join(home, `sessions/**/${id}*.jsonl`))
const megabyte = 1024 * 1024

/** Take the lease, read, check every record, and hold the log ready to be appended to. */
async function rein(): Promise<{ readonly events: number; readonly held: unknown }> {
  const lease = await jsonlStore({ home, now: Date.now }).acquire(id, { holder: processHolder() })
  if (!lease.ok) throw new Error(lease.failure.message)
  const read = await readLog(lease.value.bytes(), { hasher: nodeHasher })
  if (!read.ok || read.value.damage.length > 0) throw new Error('the log is damaged')
  const log = new SessionLog({ ports, sink: lease.value, events: read.value.events })
  await lease.value.release()
  return { events: log.events.length, held: log }
}

/** Split the file's bytes at line ends and parse each line, keeping what was parsed. */
async function bare(): Promise<{ readonly events: number; readonly held: unknown }> {
  const file = await openFile(path)
  const decoder = new TextDecoder()
  const events: unknown[] = []
  let rest = Buffer.alloc(0)
  for (;;) {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.allocUnsafe(4 * megabyte) })
    if (bytesRead === 0) break
    const block = Buffer.concat([rest, buffer.subarray(0, bytesRead)])
    let from = 0
    for (let end = block.indexOf(10); end !== -1; end = block.indexOf(10, from)) {
      events.push(JSON.parse(decoder.decode(block.subarray(from, end))))
      from = end + 1
    }
    rest = block.subarray(from)
  }
  await file.close()
  return { events: events.length, held: events }
}

function heap(): number {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / megabyte
}

const before = heap()
const started = performance.now()
let opened: Awaited<ReturnType<typeof rein>> | undefined
const cpuMs = await cpu(async () => {
  opened = await (how === 'rein' ? rein() : bare())
})
const wallMs = performance.now() - started
const keptMb = heap() - before
const told: Opened = { cpuMs, wallMs, keptMb, events: opened?.events ?? 0, bytes: statSync(path).size }
console.log(JSON.stringify(told))
