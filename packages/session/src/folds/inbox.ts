import type { InboxItem, Lane } from '../events/inbox.ts'
import type { DataOf } from '../events/index.ts'
import type { Fold } from '../fold.ts'
import { SharedMap } from '../shared.ts'

/** Input that was posted and not yet claimed. */
export interface Inbox {
  readonly nextTurn: readonly InboxItem[]
  readonly nextStep: readonly InboxItem[]
  /** Why what waits does not start by itself; the next waking post releases it. */
  readonly parked: DataOf<'inbox/parked'>['reason'] | undefined
  /** Every id that ever entered: posting one again does nothing. */
  readonly known: SharedMap<string, true>
}

export const inbox: Fold<Inbox> = {
  rewinds: false,
  initial: { nextTurn: [], nextStep: [], parked: undefined, known: SharedMap.empty() },
  step(state, event) {
    switch (event.type) {
      case 'inbox/spliced':
        return splice(state, event.data)
      case 'user/message':
        return event.data.item === undefined ? state : claim(state, event.data.item)
      case 'inbox/parked':
        return { ...state, parked: event.data.reason }
      case 'session/fork':
        return inbox.initial
      default:
        return state
    }
  },
}

function splice(state: Inbox, data: DataOf<'inbox/spliced'>): Inbox {
  const lane = fieldOf(data.lane)
  const rest = state[lane].filter((item) => !data.remove.includes(item.id))
  rest.splice(Math.min(data.start, rest.length), 0, ...data.insert)
  let known = state.known
  for (const item of data.insert) known = known.set(item.id, true)
  const woken = data.reason === 'posted' && data.insert.some(wakes)
  return { ...state, [lane]: rest, known, parked: woken ? undefined : state.parked }
}

function claim(state: Inbox, id: string): Inbox {
  const keep = (item: InboxItem) => item.id !== id
  return { ...state, nextTurn: state.nextTurn.filter(keep), nextStep: state.nextStep.filter(keep) }
}

const fieldOf = (lane: Lane): 'nextTurn' | 'nextStep' => (lane === 'next-turn' ? 'nextTurn' : 'nextStep')

/** Whether posting this item starts a turn when none runs. */
export const wakes = (item: InboxItem): boolean => item.delivery !== 'inject'
export const laneOf = (item: InboxItem): Lane => (item.delivery === 'followup' ? 'next-turn' : 'next-step')
/** Whether a turn is due: something that wakes waits and is not parked. */
export const due = (state: Inbox): boolean =>
  state.parked === undefined && (state.nextTurn.some(wakes) || state.nextStep.some(wakes))
