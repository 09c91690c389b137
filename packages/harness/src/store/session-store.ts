import type { Result, SessionEntry, Store } from '@rein/session'

/** What a store that keeps sessions in a home is made with. */
export interface StoreOptions {
  /** `$REIN_HOME`, absolute. */
  readonly home: string
  /** Milliseconds since 1970, UTC. Decides only how long a silent holder is waited for, and the order of posts. */
  readonly now: () => number
  /** How often a watcher looks where the system gives no hints, in milliseconds. Default 250. */
  readonly pollMs?: number
  /** After how long without a sign of life a holder may be taken over, in milliseconds. Default 5000. */
  readonly silentMs?: number
}

/** A store as the harness needs one: with files for outputs that are too large, and a way to name a session. */
export interface SessionStore extends Store {
  /**
   * One session by what a person types: `last` (the most recently changed of this directory, else of all), an id, or
   * the beginning of one. Fails `SESSION_MISSING`, and `USAGE` when several begin so.
   */
  find(typed: string, cwd: string): Promise<Result<SessionEntry>>
  /** Files for outputs too large for a message, in this session's own spill folder. */
  spill(id: string): SpillFiles
  /** This session's spill folder, absolute, which its tools may read; undefined when there is no such session. */
  spillFolder(id: string): Promise<string | undefined>
}

/** What the tools' `Spill` port asks of a store. */
export interface SpillFiles {
  open(name: string): Promise<{
    readonly path: string
    write(bytes: Uint8Array): Promise<void>
    close(): Promise<void>
  }>
}
