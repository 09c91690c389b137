import { Around, Observe, service } from '@rein/kernel'
import type { CallBlock, Content, Failure, InboxItem, SessionEvent } from '@rein/session'

/** One claimed item and what it will say; a wrapper of `admit` may change `content`, never the item. */
export interface Claimed {
  readonly item: InboxItem
  readonly content: readonly Content[]
}

export interface StepGate {
  readonly turn: number
  readonly step: number
  readonly claimed: readonly Claimed[]
}

export type Admission =
  | { readonly kind: 'admitted'; readonly claimed: readonly Claimed[] }
  | { readonly kind: 'refused'; readonly by: string; readonly reason: string }

export interface RequestRun {
  readonly turn: number
  readonly step: number
  /** Counts from 1 in the step. */
  readonly attempt: number
}

/** How one model call ended; what the step does next follows from the kind. */
export type RequestOutcome =
  | { readonly kind: 'reply'; readonly calls: readonly CallBlock[]; readonly cut: readonly CallBlock[] | undefined }
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** A wrapper made the failure go away (a compaction did): send again at once, counted as an attempt. */
  | { readonly kind: 'retry'; readonly failure: Failure }
  | { readonly kind: 'cancelled' }

export interface TurnStopping {
  readonly turn: number
}

/** The hooks of agent behaviour besides those of a call, which `ToolSet` holds. */
export class AgentHooks {
  /** The one gate of a step: may refuse it or rewrite the claimed messages. */
  readonly admit = new Around<StepGate, Admission>()
  /** Wraps derive → freeze → send → settle. May append before `next`; never edits a request. */
  readonly aroundRequest = new Around<RequestRun, RequestOutcome>()
  /** The turn is about to end as completed. May post input, and then the turn goes on. */
  readonly turnStopping = new Around<TurnStopping, void>()
  /** Every event, once it is written. */
  readonly onEvent = new Observe<SessionEvent>()
}

export const Hooks = service<AgentHooks>('hooks')
