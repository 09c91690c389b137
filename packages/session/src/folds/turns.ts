import type { TurnOutcome } from '../events/turn.ts'
import type { Fold } from '../fold.ts'

/** Where the conversation stands: counters, and what is open. */
export interface Turns {
  /** The last turn's number; 0 before the first. */
  readonly turn: number
  readonly step: number
  readonly turnOpen: boolean
  readonly stepOpen: boolean
  readonly outcome: TurnOutcome | undefined
}

export const turns: Fold<Turns> = {
  rewinds: false,
  initial: { turn: 0, step: 0, turnOpen: false, stepOpen: false, outcome: undefined },
  step(state, event) {
    switch (event.type) {
      case 'turn/start':
        return { turn: event.data.turn, step: 0, turnOpen: true, stepOpen: false, outcome: undefined }
      case 'turn/end':
        return { ...state, turnOpen: false, outcome: event.data.outcome }
      case 'step/start':
        return { ...state, step: event.data.step, stepOpen: true }
      case 'step/end':
        return state.stepOpen ? { ...state, stepOpen: false } : state
      default:
        return state
    }
  },
}
