import type { DataOf, SessionEvent } from './events/index.ts'
import type { NewHasher } from './hasher.ts'
import { LogReader } from './reader.ts'
import type { Result } from './store.ts'

/** Something that could not be read where it stood. */
export interface Damage {
  readonly reason: DataOf<'session/damage'>['reason']
  /** 1-based line of the log, before any repair. */
  readonly line: number
  readonly bytes: number
  /** How many events are lost by it: 1, or 0 when only bytes were. */
  readonly events: number
}

/** A log as read: every event that can be told, and exactly what could not be. */
export interface ReadLog {
  /** Contiguous from 0; a lost event is a `session/damage` in its place. */
  readonly events: readonly SessionEvent[]
  /** The lines of those events. When `damage` is empty they are the log's own lines. */
  readonly lines: readonly string[]
  readonly damage: readonly Damage[]
  /** The damaged lines as they were, for the side file. */
  readonly aside: readonly string[]
  /** The only damage is a last line that is not finished: a crash cut it, or it is being written right now. */
  readonly openEnd: boolean
}

/**
 * Read a log from its raw bytes. Nothing readable is thrown away, whatever stands around it. Empty lines and CR before
 * LF are no damage.
 * Fails `FORMAT_TOO_NEW` when the log's format, or an event in its place that may not be skipped, is not known here.
 */
export async function readLog(
  bytes: AsyncIterable<Uint8Array>,
  options: {
    readonly hasher: NewHasher
    /** Name of the side file that will keep the damaged lines; recorded with the damage. */
    readonly aside?: string
  },
): Promise<Result<ReadLog>> {
  const reader = new LogReader(options.hasher, options.aside)
  let rest: Uint8Array[] = []
  for await (const block of bytes) {
    let from = 0
    for (let end = block.indexOf(lineEnd); end >= 0; end = block.indexOf(lineEnd, from)) {
      rest.push(block.subarray(from, end))
      reader.line(joined(rest))
      rest = []
      from = end + 1
    }
    if (from < block.length) rest.push(block.subarray(from))
  }
  const unended = rest.length > 0
  if (unended) reader.line(joined(rest))
  return reader.finish(unended)
}

const lineEnd = 10

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts
  if (only && parts.length === 1) return only
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
