import type { InboxItem, Lane } from '../events/inbox.ts'
import type { DataOf } from '../events/index.ts'
import type { TurnOutcome } from '../events/turn.ts'
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
        return state.parked === event.data.reason ? state : { ...state, parked: event.data.reason }
      case 'session/fork':
        return state === inbox.initial ? state : { ...inbox.initial, known: state.known }
      default:
        return state
    }
  },
}

/** Nothing is ever lost or doubled by a splice: what it removes must wait, and what it inserts must be new or wait. */
function splice(state: Inbox, data: DataOf<'inbox/spliced'>): Inbox {
  const items = entering(state, data)
  const gone = new Set([...data.remove, ...items.map(({ id }) => id)])
  // What is posted never waits yet: thousands of posts must not look through all that waits each.
  const kept = data.reason === 'posted' && data.remove.length === 0 ? state : without(state, gone)
  if (items.length === 0) return kept
  const lane = fieldOf(data.lane)
  const at = Math.min(data.start, kept[lane].length)
  const known = items.reduce((ids, { id }) => ids.set(id, true), state.known)
  const parked = data.reason === 'posted' && items.some(wakes) ? undefined : state.parked
  return { ...kept, [lane]: kept[lane].slice(0, at).concat(items, kept[lane].slice(at)), known, parked }
}

/** Posting an id again does nothing; editing or moving what was claimed meanwhile does not bring it back. */
function entering(state: Inbox, { reason, insert, remove }: DataOf<'inbox/spliced'>): readonly InboxItem[] {
  if (insert.length === 0) return insert
  const entered = new Set<string>()
  const once = insert.filter(({ id }) => !entered.has(id) && entered.add(id))
  if (reason === 'posted') return once.filter(({ id }) => !state.known.has(id))
  const replaces = holds(state, new Set(remove))
  const waiting = new Set(waitingIn(state).map(({ id }) => id))
  return once.filter(({ id }) => waiting.has(id) || (replaces && !state.known.has(id)))
}

function claim(state: Inbox, id: string): Inbox {
  // Its post may be lost to damage: what was claimed is known all the same, and posting it again does nothing.
  return { ...without(state, new Set([id])), known: state.known.set(id, true) }
}

const holds = ({ nextTurn, nextStep }: Inbox, ids: ReadonlySet<string>): boolean =>
  nextTurn.some(({ id }) => ids.has(id)) || nextStep.some(({ id }) => ids.has(id))

function without(state: Inbox, gone: ReadonlySet<string>): Inbox {
  const [nextTurn, nextStep] = [left(state.nextTurn, gone), left(state.nextStep, gone)]
  return nextTurn === state.nextTurn && nextStep === state.nextStep ? state : { ...state, nextTurn, nextStep }
}

/** The same list when nothing of it goes; one item, which waits once, is looked for no further than to its place. */
function left(items: readonly InboxItem[], gone: ReadonlySet<string>): readonly InboxItem[] {
  const at = items.findIndex(({ id }) => gone.has(id))
  if (at < 0) return items
  return gone.size === 1 ? items.toSpliced(at, 1) : items.filter(({ id }) => !gone.has(id))
}

const fieldOf = (lane: Lane): 'nextTurn' | 'nextStep' => (lane === 'next-turn' ? 'nextTurn' : 'nextStep')

/** Whether posting this item starts a turn when none runs. */
export const wakes = (item: InboxItem): boolean => item.delivery !== 'inject'
export const laneOf = (item: InboxItem): Lane => (item.delivery === 'followup' ? 'next-turn' : 'next-step')
/** All that waits, in the order in which a turn claims it. */
export const waitingIn = ({ nextStep, nextTurn }: Inbox): readonly InboxItem[] => [...nextStep, ...nextTurn]
/** What takes one item out of the inbox unsaid. */
export const removalOf = (item: InboxItem, reason: DataOf<'inbox/spliced'>['reason']): DataOf<'inbox/spliced'> => {
  return { lane: laneOf(item), start: 0, remove: [item.id], insert: [], reason }
}
/** Whether what waits is held back after a turn that ended like this (rule 16). */
export const parks = (outcome: TurnOutcome): outcome is DataOf<'inbox/parked'>['reason'] =>
  outcome !== 'completed' && outcome !== 'max-tokens' && outcome !== 'blocked'
/** Whether a turn is due: something that wakes waits and is not parked. */
export const due = (state: Inbox): boolean =>
  state.parked === undefined && (state.nextTurn.some(wakes) || state.nextStep.some(wakes))
