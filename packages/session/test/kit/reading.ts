import assert from 'node:assert/strict'
import { type ReadLog, readLog, SessionLog } from '../../src/index.ts'
import { countingPorts, hasher } from './ports.ts'
import { bytesOf, CollectingSink } from './sinks.ts'

/** Bytes in blocks of so many, as a file or a socket would give them. */
export async function* inBlocks(bytes: Uint8Array, size = 65_536): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** A log that was read together with the lines of its events. */
export type LinedLog = ReadLog & { readonly lines: readonly string[] }

/** Read a log that is expected to open. */
export async function opened(bytes: Uint8Array | readonly string[], block?: number): Promise<LinedLog> {
  const whole = bytes instanceof Uint8Array ? bytes : bytesOf(bytes)
  const lines: string[] = []
  const read = await readLog(inBlocks(whole, block), { hasher, onLine: (line) => lines.push(line) })
  assert.ok(read.ok, read.ok ? '' : read.failure.message)
  return { ...read.value, lines }
}

/** The log of a read session, to go on with; its sink holds the mended lines. */
export function continued(log: LinedLog): { log: SessionLog; sink: CollectingSink } {
  const sink = new CollectingSink()
  sink.lines.push(...log.lines)
  return { log: new SessionLog({ ports: countingPorts(1_764_600_000_000), sink, events: log.events }), sink }
}
