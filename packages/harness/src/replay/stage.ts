import type { Recording } from './recording.ts'
import type { Turnstile } from './turnstile.ts'

/** What stands in for model and tools knows of the replay it is part of. */
export interface Stage {
  readonly recording: Recording
  readonly turnstile: Turnstile
  /** Seq after the last event of this stretch. */
  readonly until: number
  /** How many events the log holds now. */
  length(): number
  /** The ids today's code is to give the calls of a reply, in order. */
  mint(ids: readonly string[]): void
  /** What is given next is given now: the agent is about to look. */
  giveAll(): void
  /**
   * Tell the turn to end as it was told before event `seq`, once the agent has gone as far as it goes by itself; does
   * nothing when it was not told.
   */
  stopSoon(seq: number): Promise<void>
}
