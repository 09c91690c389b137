import type { Failure } from '../failure.ts'
import type { EventOf } from './envelope.ts'

/** How a turn ended. */
export type TurnOutcome = 'completed' | 'max-tokens' | 'blocked' | 'cancelled' | 'interrupted' | 'budget' | 'error'

/** `turn` counts from 1 in the session, `step` from 1 in its turn. */
export type TurnFamily =
  /** Input was claimed, or is about to be. */
  | EventOf<'turn/start', { turn: number }>
  /** `error` is there for `error`, `budget` and `blocked`, and says which. */
  | EventOf<'turn/end', { turn: number; outcome: TurnOutcome; error?: Failure }>
  /** One request and the calls it asks for. */
  | EventOf<'step/start', { turn: number; step: number }>
  /** Nothing of the step is owed any more. */
  | EventOf<'step/end', { turn: number; step: number }>
