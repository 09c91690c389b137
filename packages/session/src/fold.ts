import type { SessionEvent } from './events/index.ts'

/**
 * A state computed from the log alone. Pure and total: it ignores what it does not own and returns the same object
 * when nothing changed.
 */
export interface Fold<S> {
  /** Whether `session/rewound` takes this state back to what it was. Money, jobs and permission never go back. */
  readonly rewinds: boolean
  readonly initial: S
  step(state: S, event: SessionEvent): S
}

/**
 * The state of a fold after `events[0..upTo)`.
 * A rewind re-folds the prefix it names, which is rare and linear.
 */
export function fold<S>(of: Fold<S>, events: readonly SessionEvent[], upTo = events.length): S {
  let state = of.initial
  for (let index = 0; index < upTo; index++) {
    const event = events[index]
    if (event) state = advance(of, state, event, events)
  }
  return state
}

/** One step, rewinds included. `events` must hold everything before `event`. */
export function advance<S>(of: Fold<S>, state: S, event: SessionEvent, events: readonly SessionEvent[]): S {
  if (event.type === 'session/rewound' && of.rewinds) return fold(of, events, event.data.to + 1)
  return of.step(state, event)
}
