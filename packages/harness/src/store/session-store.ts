import type { Result, SessionEntry, Store } from '@rein/session'

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
