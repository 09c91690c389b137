import type { Damage } from './damage.ts'
import type { DataOf, SessionEvent } from './events/index.ts'
import type { PermissionMode } from './events/permission.ts'
import { fold } from './fold.ts'
import { permission } from './folds/permission.ts'
import type { Result } from './store.ts'

/** A fork before it is written: the parent's lines, byte for byte, and the event that makes them another session. */
export interface Fork {
  readonly lines: readonly string[]
  readonly events: readonly SessionEvent[]
  /** To be appended first; then what `repair` says of the prefix, then the fork is a session of its own. */
  readonly mark: DataOf<'session/fork'>
  /** The parent's mode now, where that allows less than it did at the place: a fork never widens what is allowed. */
  readonly narrower?: PermissionMode
}

/**
 * The prefix of a session up to and including event `at`, as a new session. Self-contained: blobs are to be linked or
 * copied beside it. The inbox starts empty; jobs, timers and session grants stay with the parent.
 */
export function fork(
  log: Pick<Fork, 'lines' | 'events'>,
  as: { readonly id: string; readonly at?: number },
): Result<Fork> {
  const at = as.at ?? log.events.length - 1
  const last = log.events[at]
  if (!last) {
    const message = `there is no event ${at}; the session has ${log.events.length} events, from 0`
    return { ok: false, failure: { code: 'USAGE', message, next: 'Choose one with `rein show <id> --events`.' } }
  }
  const events = log.events.slice(0, at + 1)
  const mark = { id: as.id, parent: idOf(events), at, hash: last.hash }
  const [then, now] = [fold(permission, events).mode, fold(permission, log.events).mode]
  const narrower = now !== undefined && (then === undefined || width[now] < width[then]) ? { narrower: now } : {}
  return { ok: true, value: { lines: log.lines.slice(0, at + 1), events, mark, ...narrower } }
}

const width: Readonly<Record<PermissionMode, number>> = { 'read-only': 0, 'workspace-write': 1, 'full-access': 2 }

/** A session's own id: a fork's is in its last `session/fork`. Empty when damage took it. */
export function idOf(events: readonly SessionEvent[]): string {
  const named = events.findLast((event) => event.type === 'session/fork' || event.type === 'session/start')
  return named ? named.data.id : ''
}

/** What is damaged before event `at`: an event stands in the line after its seq, and one later for each line of junk. */
export function damageUpTo(damage: readonly Damage[], at: number): readonly Damage[] {
  let last = at + 1
  return damage.filter(({ line, events }) => {
    const before = line <= last
    if (before && events === 0) last++
    return before
  })
}
