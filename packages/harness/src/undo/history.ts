import type { EventNamed, SessionEvent } from '@rein/session'
import type { MomentsBack } from './job.ts'
import type { Author } from './plan.ts'

type Snapshot = EventNamed<'files/snapshot'>

/** The files as they were, as far as the log knows. */
export interface WayBack {
  /** Undefined when nothing that is known was changed since. */
  readonly moments: MomentsBack | undefined
  /** False: the place lies inside a turn, and the files go back to where that turn had changed nothing. */
  readonly exact: boolean
  /** Turns since then that ran something with side effects and have no snapshot: what they did may not go back. */
  readonly uncovered: readonly number[]
}

/** The name of this plugin's facts in the log. */
export const plugin = 'snapshots'

/**
 * From where to where files go back when a session goes back to event `to`: to the moment before the first change
 * that came after it, so that what a person did between two turns stays.
 */
export function wayBack(events: readonly SessionEvent[], to: number): WayBack {
  const snapshots = events.filter((event): event is Snapshot => event.type === 'files/snapshot')
  const open = openAt(events, snapshots, to)
  const from = open ?? snapshots.find(({ seq, data }) => seq > to && data.when === 'before')
  const uncovered = uncoveredTurns(events, Math.min(to, from?.seq ?? to))
  if (!from) return { moments: undefined, exact: true, uncovered }
  const later = snapshots.filter(({ seq }) => seq > from.seq)
  const by = (before: Snapshot, after: Snapshot | undefined) => authorBetween(before, after, uncovered)
  const chain = [from, ...later]
  const moments: MomentsBack = {
    first: from.data.id,
    later: later.map((one, index) => ({ tree: one.data.id, by: by(chain[index] ?? from, one) })),
    since: by(chain.at(-1) ?? from, undefined),
  }
  return { moments, exact: !open, uncovered }
}

/** The snapshot of the turn that was changing files at `to`. */
function openAt(events: readonly SessionEvent[], snapshots: readonly Snapshot[], to: number): Snapshot | undefined {
  const last = snapshots.findLast(({ seq }) => seq <= to)
  if (last?.data.when !== 'before') return undefined
  const over = events.some(
    ({ seq, type }) => seq > last.seq && seq <= to && (type === 'turn/end' || type === 'files/restored'),
  )
  return over ? undefined : last
}

/** Between the first and the last look of one turn it is the session; from there to the next turn it is somebody else. */
function authorBetween(before: Snapshot, after: Snapshot | undefined, uncovered: readonly number[]): Author {
  const from = before.data.turn
  const to = after?.data.turn ?? Number.POSITIVE_INFINITY
  if (uncovered.some((turn) => turn >= from && turn <= to)) return 'unknown'
  if (before.data.when === 'after') return 'person'
  return after?.data.when === 'after' && from === to ? 'session' : 'unknown'
}

function uncoveredTurns(events: readonly SessionEvent[], since: number): readonly number[] {
  const seen = new Set<number>()
  const changed = new Set<number>()
  let open: number | undefined
  for (const { seq, type, data } of events) {
    if (type === 'turn/start') open = data.turn
    if (type === 'turn/end') open = undefined
    // One that was made between turns, to take a restore back, says nothing about the turn before it.
    if (type === 'files/snapshot' && data.turn === open) seen.add(open)
    if (type === 'tool/call' && data.effects === 'some' && seq > since) changed.add(data.turn)
  }
  return [...changed].filter((turn) => !seen.has(turn))
}
