import type { Failure } from '@rein/session'
import type { Collected } from './collect.ts'
import type { SnapshotLimits } from './limits.ts'
import type { LeftFile, Moment, PlannedFile } from './plan.ts'

/** What the thread is started with. */
export interface UndoThread {
  /** `$REIN_HOME/snapshots`, absolute. */
  readonly folder: string
  readonly limits: SnapshotLimits
  /** Absolute paths that are never looked into. */
  readonly hidden: readonly string[]
  /** Four bytes; not 0: stop what runs. */
  readonly stop: SharedArrayBuffer
}

/** Whose snapshots they are, and of what. */
export interface Place {
  /** Id of the session. */
  readonly session: string
  /** Ids of the sessions it was forked from, whose snapshots are its own too. */
  readonly parents?: readonly string[]
  /** Absolute. */
  readonly root: string
}

export type Job =
  /** Look at the workspace and keep what it holds for the session. */
  | { readonly kind: 'take'; readonly place: Place }
  | { readonly kind: 'plan'; readonly place: Place; readonly history: MomentsBack }
  | {
      readonly kind: 'restore'
      readonly place: Place
      readonly history: MomentsBack
      /** Name of the tree of the workspace as it is: the snapshot that was made to go back from here. */
      readonly now: string
      /** Which paths others changed go back too. */
      readonly overwrite: boolean | readonly string[]
    }
  /** Make room, when it was not done for long. */
  | { readonly kind: 'collect' }

/** The moment to go back to, and what was seen since, oldest first. */
export interface MomentsBack {
  readonly first: string
  readonly later: readonly Moment[]
  /** Who worked since the last of them. */
  readonly since: Moment['by']
}

/** A snapshot that was made. */
export interface Taken {
  readonly id: string
  readonly files: number
  readonly bytes: number
  /** At most 20, each with its reason, and how many more there are. */
  readonly skipped: readonly string[]
}

/** Paths that no snapshot has and that were not looked into, at most 20, and how many more there are. */
export interface Unseen {
  readonly paths: readonly string[]
  readonly more: number
}

export interface Planned {
  readonly files: readonly PlannedFile[]
  readonly left: readonly LeftFile[]
  /** Without what `left` names. */
  readonly unseen: Unseen
}

export interface Restored {
  readonly paths: readonly string[]
  readonly left: readonly LeftFile[]
}

export type JobResult =
  | { readonly kind: 'taken'; readonly taken: Taken }
  | { readonly kind: 'planned'; readonly planned: Planned }
  | { readonly kind: 'restored'; readonly restored: Restored }
  | { readonly kind: 'collected'; readonly collected: Collected | undefined }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly failure: Failure }
