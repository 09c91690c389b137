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

/** The state of a fold after `events[0..upTo)`. Linear, however often the session was rewound. */
export function fold<S>(of: Fold<S>, events: readonly SessionEvent[], upTo = events.length): S {
  let state = of.initial
  if (of.rewinds) for (const event of standing(events, upTo)) state = of.step(state, event)
  else
    for (let index = 0; index < upTo; index++) {
      const event = events[index]
      if (event) state = of.step(state, event)
    }
  return state
}

/** One step, rewinds included. `events` holds everything before `event`, each at the index of its seq. */
export function advance<S>(
  of: Fold<S>,
  state: S,
  { event, events }: { readonly event: SessionEvent; readonly events: readonly SessionEvent[] },
): S {
  if (event.type === 'session/rewound' && of.rewinds) return fold(of, events, Math.min(event.data.to + 1, event.seq))
  return of.step(state, event)
}

/**
 * The events of `events[0..upTo)` that no rewind took back, in order, the rewinds themselves left out. `events` is in
 * order and may be a selection. Walks back from the end, so rewinds into rewinds cost nothing extra.
 */
export function standing(events: readonly SessionEvent[], upTo = events.length): readonly SessionEvent[] {
  const kept: SessionEvent[] = []
  let index = upTo - 1
  while (index >= 0) {
    const event = events[index--]
    if (event === undefined) continue
    if (event.type !== 'session/rewound') kept.push(event)
    else while (index >= 0 && (events[index]?.seq ?? 0) > event.data.to) index--
  }
  return kept.reverse()
}
