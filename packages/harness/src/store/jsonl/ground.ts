import type { Holder } from '@rein/session'

/** Tells one file from another that took its name later. Compared with `===`. */
export type Identity = string

/** A lock as a would-be writer finds it. Held open until `close`, so that its identity cannot be given out again. */
export interface SeenLock {
  readonly epoch: number
  readonly identity: Identity
  /** undefined while the claimant has not written its name yet, or died before it could. */
  readonly holder: Holder | undefined
  readonly released: boolean
  /** Milliseconds since 1970 of the last renewal, by the file system's clock. */
  readonly changed: number
  close(): void
}

/** The lock this process created. It acts on the file itself, never on whatever bears the name now. */
export interface OwnLock {
  readonly epoch: number
  readonly identity: Identity
  renew(): void
  markReleased(): void
  close(): void
}

/** Epochs found on disk, each list ascending. */
export interface Epochs {
  readonly locks: readonly number[]
  readonly logs: readonly number[]
}

/**
 * Every file operation the one-writer protocol is made of, for one session. Small on purpose: a test puts a model in
 * its place and runs every interleaving of several writers.
 */
export interface Ground {
  epochs(): Promise<Epochs>
  openLock(epoch: number): Promise<SeenLock | undefined>
  /** Exclusive create. @returns undefined when that epoch is claimed already. */
  createLock(epoch: number, holder: Holder, state: 'held' | 'released'): Promise<OwnLock | undefined>
  /** @returns undefined when there is no such lock. */
  lockIdentity(epoch: number): Promise<Identity | undefined>
  removeLock(epoch: number): Promise<void>
  removeLog(epoch: number): Promise<void>
  /** Copy the whole lines of log `from` beside it, durably, unseen by readers. @returns false when it is gone. */
  copyLog(from: number, epoch: number): Promise<boolean>
  /** Make the copy the log of `epoch`, durably and at once. */
  publishCopy(epoch: number): Promise<void>
}
