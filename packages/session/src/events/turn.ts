import type { Failure } from '../failure.ts'
import type { EventOf } from './envelope.ts'

export type TurnOutcome = 'completed' | 'max-tokens' | 'blocked' | 'cancelled' | 'interrupted' | 'budget' | 'error'

/** `turn` counts from 1 in the session, `step` from 1 in its turn. */
export type TurnFamily =
  | EventOf<'turn/start', { turn: number }>
  /** `error` is there for `error`, `budget` and `blocked`, and says which. */
  | EventOf<'turn/end', { turn: number; outcome: TurnOutcome; error?: Failure }>
  | EventOf<'step/start', { turn: number; step: number }>
  | EventOf<'step/end', { turn: number; step: number }>
