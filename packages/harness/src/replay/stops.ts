import type { DataOf, Inbox, SessionEvent } from '@rein/session'
import { fold, inbox, parks, waitingIn, wakes } from '@rein/session'
import type { TurnEnd } from '../agent/loop.ts'

interface Extent {
  readonly stretches: readonly { readonly from: number; readonly until: number }[]
  readonly isGiven: (seq: number) => boolean
}

/**
 * Where turns were told to end, by the seq of the event before which they were. A stop is no event: it is found by the
 * first thing that only happens once a turn was told to end.
 */
export function stopsIn(events: readonly SessionEvent[], { stretches, isGiven }: Extent): ReadonlyMap<number, TurnEnd> {
  const stops = new Map<number, TurnEnd>()
  for (const { from, until } of stretches) {
    let [start, parking, state] = [from, false, fold(inbox, events, from)]
    for (const [at, event] of events.slice(from, until).entries()) {
      const seq = from + at
      state = inbox.step(state, event)
      if (event.type === 'turn/start') start = seq
      if (event.type === 'turn/end') {
        parking = parks(event.data.outcome)
        const turn = events.slice(start, seq + 1)
        if (wasStopped(event.data))
          stops.set(stopOf(turn, { isGiven, released: released(state, events[seq + 1]) }), endOf(event.data))
      }
      // Stopped between two turns: nothing but this says so.
      if (event.type === 'inbox/parked' && event.data.reason === 'cancelled' && !parking)
        stops.set(seq, { outcome: 'cancelled' })
    }
  }
  return stops
}

/** What waits after a stop is parked, unless input that wakes came when the turn had been told to end already. */
const released = (state: Inbox, next: SessionEvent | undefined): boolean =>
  next !== undefined && next.type !== 'inbox/parked' && waitingIn(state).length > 0

function stopOf(
  turn: readonly SessionEvent[],
  { isGiven, released }: { isGiven: (seq: number) => boolean; released: boolean },
): number {
  const evidence = turn.find((event) => !isGiven(event.seq) && showsStop(event))?.seq ?? turn.at(-1)?.seq ?? 0
  const post = released ? turn.findLast(isWakingPost) : undefined
  return post && post.seq < evidence ? post.seq : evidence
}

const isWakingPost = ({ type, data }: SessionEvent): boolean =>
  type === 'inbox/spliced' && data.reason === 'posted' && data.insert.some(wakes)

/** A turn that ran out of steps ends by itself; every other budget is somebody's who watches from outside. */
const wasStopped = ({ outcome, error }: DataOf<'turn/end'>): boolean =>
  outcome === 'cancelled' || (outcome === 'budget' && error?.code !== 'STEPS')

const endOf = ({ outcome, error }: DataOf<'turn/end'>): TurnEnd => ({ outcome, ...(error && { error }) })

function showsStop(event: SessionEvent): boolean {
  switch (event.type) {
    case 'request/settled':
      return event.data.outcome === 'cancelled'
    case 'approval/decided':
      return event.data.by === 'cancelled'
    case 'retry/started':
      return event.data.outcome === 'abandoned'
    case 'tool/result':
      return event.data.outcome.kind === 'cancelled' || event.data.outcome.kind === 'not-started'
    default:
      return false
  }
}
