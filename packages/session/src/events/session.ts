import type { EventOf } from './envelope.ts'

/** Where a fork was taken from. */
export interface ParentRef {
  readonly id: string
  /** The parent's last copied event. */
  readonly at: number
  /** The hash of that event: the fork and its parent share every byte up to here. */
  readonly hash: string
}

export type SessionFamily =
  /**
   * Always seq 0, always epoch 1. `format` is 1 until the first tagged release. `redacted` was added by a redaction, so
   * that a log that is cut off, or forked, before the record of it still says so.
   */
  | EventOf<
      'session/start',
      { format: number; id: string; cwd: string; rein: string; parent?: ParentRef; redacted?: boolean }
    >
  /** A writer took the session over or opened it again. The only place an epoch stands in the log. */
  | EventOf<'session/resume', { epoch: number; holder: string; rein: string }>
  /** What lists call the session; the last one counts. Without any it is the first thing a person said. */
  | EventOf<'session/title', { title: string; by: 'person' | 'prompt' | 'model' }>
  /** Everything before this was copied from `parent`; from here on the session is `id`. The inbox starts empty. */
  | EventOf<'session/fork', { id: string; parent: string; at: number; hash: string }>
  /** The surface becomes what it was after event `to`; nothing is removed from the log. */
  | EventOf<'session/rewound', { to: number; by: 'person' | 'plugin' }>
  /** Stands in place of what could not be read. The hash chain restarts here. */
  | EventOf<
      'session/damage',
      {
        reason: 'torn' | 'nul' | 'not-json' | 'spliced' | 'bad-seq' | 'broken-chain' | 'not-an-event'
        /** How many events this stands for; 0 when only bytes were lost. */
        events: number
        lines: number
        bytes: number
        /** Name of the side file that keeps the damaged bytes. */
        aside?: string
        /** SHA-256 of the next record's hash and of its bytes before that: its hash, chained to what is lost, proves nothing. */
        next?: string
      }
    >
  /** The log was written anew, an event for an event: in the next format, or, with `from` equal to `to`, with values taken out. `oldHead` is the last hash it had before. */
  | EventOf<'session/migrated', { from: number; to: number; oldHead: string }>
