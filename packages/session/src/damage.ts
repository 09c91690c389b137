import type { DataOf, SessionEvent } from './events/index.ts'
import type { NewHasher } from './hasher.ts'
import type { Formats } from './migrate.ts'

/** Something that could not be read where it stood. */
export interface Damage {
  readonly reason: DataOf<'session/damage'>['reason']
  /** Line of the log, before any repair, counted from 1. */
  readonly line: number
  /** Bytes of the log before that line. */
  readonly offset: number
  readonly bytes: number
  /** How many events are lost by it: 1, or 0 when only bytes were. */
  readonly events: number
}

/** In words what is wrong where nothing that can be counted was lost; undefined where it can. */
export function uncounted({ reason, events, bytes }: Pick<Damage, 'reason' | 'events' | 'bytes'>): string | undefined {
  if (events > 0 || bytes > 0) return undefined
  if (reason === 'torn') return 'the log of this session was empty: what it held, if anything, is lost'
  if (reason === 'bad-seq') return 'lines out of order, nothing lost'
  return reason === 'spliced' ? 'lines run together or cut apart, nothing lost' : 'nothing lost'
}

/** A log as read: every event that can be told, and exactly what could not be. */
export interface ReadLog {
  /** Contiguous from 0; a lost event is a `session/damage` in its place. */
  readonly events: readonly SessionEvent[]
  readonly damage: readonly Damage[]
  /** The damaged lines, byte for byte and without their line ends, for the side file. */
  readonly aside: readonly Uint8Array[]
  /** The only damage is a last line that is not finished: a crash cut it, or it is being written right now. */
  readonly openEnd: boolean
  /** Format the log is written in; its events are given in the newest one. */
  readonly format: number
}

export interface ReadOptions {
  readonly hasher: NewHasher
  /** Name of the side file that will keep the damaged lines; recorded with the damage. */
  readonly aside?: string
  /**
   * Given the line of each event, in order, of a declared loss too. Without damage they are the log's own lines, in the
   * format it is written in. Whoever
   * keeps them all needs the memory of the whole log once more, so nobody does it unasked.
   */
  readonly onLine?: (line: string) => void
  /** Default: those this version knows. */
  readonly formats?: Formats
}
