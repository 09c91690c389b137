import type { Content, Source } from './content.ts'
import type { EventOf } from './envelope.ts'

export type Lane = 'next-turn' | 'next-step'

/** followup: next turn, wakes. steer: next step, wakes. inject: next step, does not wake. */
export type Delivery = 'followup' | 'steer' | 'inject'

/** Input that was posted and not yet claimed. A posted id is taken in once, however often it is posted. */
export interface InboxItem {
  readonly id: string
  readonly delivery: Delivery
  readonly content: readonly Content[]
  readonly source: Source
}

export type InboxFamily =
  /**
   * One change of one lane: at `start`, the items named in `remove` leave and `insert` enters.
   * A claim is not a splice: `user/message.item` takes the item out, so that no crash can lose input between two events.
   */
  | EventOf<
      'inbox/spliced',
      {
        lane: Lane
        start: number
        remove: readonly string[]
        insert: readonly InboxItem[]
        reason: 'posted' | 'edited' | 'reordered' | 'dropped' | 'refused' | 'withdrawn'
      }
    >
  /** What waits is kept and shown, and does not start by itself; the next waking post releases it. */
  | EventOf<'inbox/parked', { reason: 'cancelled' | 'budget' | 'error' | 'interrupted' }>
