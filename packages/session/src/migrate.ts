import type { SurfaceOp } from './events/envelope.ts'
import type { SessionEvent } from './events/index.ts'
import type { NewHasher } from './hasher.ts'
import { type Draft, encodeLine, format, freeze, isKnown } from './line.ts'

/** An event of an older format, as its line gives it: only its envelope was checked. */
export interface OldEvent {
  readonly seq: number
  readonly time: number
  readonly type: string
  readonly data: object
  readonly surface?: SurfaceOp
  readonly sources?: readonly number[]
  readonly ignorable?: true
}

/** One event in the next format: everything but its place, which no migration moves. */
export type NextEvent = Pick<OldEvent, 'type' | 'data' | 'surface' | 'sources' | 'ignorable'>

/**
 * From one format of the log to the next, an event for an event, so that every seq stands for what it stood for. What
 * requests are made of keeps its meaning: their bytes do not change by a migration, and `verify` proves it.
 */
export interface Migration {
  readonly from: number
  /** `from` + 1. */
  readonly to: number
  /** Pure. @returns undefined for an event that the next format does not have; an empty one keeps its place. */
  event(old: OldEvent): NextEvent | undefined
}

/** Which formats can be read, and how the older ones become the newest. */
export interface Formats {
  readonly newest: number
  readonly migrations: readonly Migration[]
}

/** There has been one format only. */
export const knownFormats: Formats = { newest: format, migrations: [] }

/** The migrations from a format to the newest, in order. None from the newest itself, nor from one that never was. */
export function pathFrom(from: number, { newest, migrations }: Formats): readonly Migration[] {
  const path: Migration[] = []
  for (let at = from; at < newest; at++) {
    const next = migrations.find((migration) => migration.from === at)
    if (!next) return []
    path.push(next)
  }
  return path
}

/** The format a log says it is written in, when this is the event that says so. */
export function formatOf({ type, data }: SessionEvent): number | undefined {
  return type === 'session/start' && Number.isSafeInteger(data.format) ? data.format : undefined
}

/** One event in the newest format. Its hash stays that of its line. */
export function migrated(event: SessionEvent, path: readonly Migration[]): SessionEvent {
  const last = path.at(-1)
  if (!last) return event
  const { seq, time, hash } = event
  let now: NextEvent = event
  for (const migration of path) now = migration.event({ ...now, seq, time }) ?? husk(now)
  const data = now.type === 'session/start' ? { ...now.data, format: last.to } : now.data
  const { type, surface, sources, ignorable } = now
  const moved = { ...(surface && { surface }), ...(sources && { sources }), ...(ignorable && { ignorable }) }
  return { seq, time, type, data, ...moved, hash } as SessionEvent
}

/** What is left of an event that a newer format does not have: a place in the log that every reader skips. */
const husk = ({ type }: NextEvent): NextEvent => ({
  type: isKnown(type) ? `was/${type}` : type,
  data: {},
  ignorable: true,
})

/** Events under a new chain, and their lines. */
export interface Chained {
  readonly events: readonly SessionEvent[]
  readonly lines: readonly string[]
}

/**
 * A log written anew in the newest format: the same events under a chain of their own, and `session/migrated` behind
 * them, which names the last hash of the old log.
 * @param log.events as `readLog` gives them, in the newest format already.
 */
export function migratedLog(
  log: { readonly events: readonly SessionEvent[]; readonly format: number },
  as: { readonly to: number; readonly now: () => number; readonly hasher: NewHasher },
): Chained {
  const { events, lines } = chained(log.events, as.hasher)
  const last = log.events.at(-1)
  const place = { seq: events.length, time: as.now(), previous: events.at(-1)?.hash ?? '' }
  const data = { from: log.format, to: as.to, oldHead: last?.hash ?? '' }
  const { line, hash } = encodeLine(place, { type: 'session/migrated', data }, as.hasher)
  const mark = freeze<SessionEvent>({ seq: place.seq, time: place.time, type: 'session/migrated', data, hash })
  return { events: [...events, mark], lines: [...lines, line] }
}

/** The same events under a chain of their own, each in the format it is given in. */
export function chained(events: readonly SessionEvent[], hasher: NewHasher): Chained {
  const lines: string[] = []
  let previous = ''
  const again = events.map((event) => {
    const draft: Draft = event
    const { line, hash } = encodeLine({ seq: event.seq, time: event.time, previous }, draft, hasher)
    lines.push(line)
    previous = hash
    return freeze({ ...event, hash })
  })
  return { events: again, lines }
}
