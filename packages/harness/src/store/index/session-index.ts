import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { type DatabaseOptions, isRefused, isSpoilt, openDatabase, putAside } from './database.ts'
import type { Indexed, IndexedStore } from './indexed.ts'
import { type ListedSession, type ListOptions, listed } from './listing.ts'
import { termsOf } from './query.ts'
import { Rows } from './rows.ts'
import { type FoundSession, found, type SearchOptions } from './search.ts'

export interface IndexOptions {
  /** `$REIN_HOME`, absolute: the index is `index.sqlite` there. */
  readonly home: string
  readonly store: IndexedStore
  /** Milliseconds, of any clock that only goes forward. */
  readonly clock: () => number
  /** How long another process's write is waited for, in milliseconds. Default 2000. */
  readonly waitMs?: number
  /** Told, in a sentence, when the index was damaged and is built anew. */
  readonly said?: (sentence: string) => void
}

/**
 * The list of all sessions and the search in what they say, out of an index that is brought up to date by being asked.
 * It is never the truth: it may be deleted at any time, may be damaged, locked or missing, and the answers are the same.
 */
export interface SessionIndex extends Disposable {
  /** Newest first; broken sessions stand in it as such. */
  list(options: ListOptions): Promise<readonly ListedSession[]>
  /**
   * Which of these sessions hold everything that was typed: words that begin so, phrases in double quotes.
   * @returns the best first, and how many there are in all.
   */
  search(
    typed: string,
    sessions: readonly ListedSession[],
    options: SearchOptions,
  ): Promise<{ readonly found: readonly FoundSession[]; readonly total: number }>
}

/**
 * The index of a home's sessions, opened or made. One that is damaged is made anew, which `said` is told; where none can
 * be had (a disk that refuses, one locked for longer than `waitMs`, one of a newer version) everything is read from the
 * logs. To be disposed. Does not throw for trouble with the index; lists throw as the store does.
 */
export async function sessionIndex(options: IndexOptions): Promise<SessionIndex> {
  const { home, waitMs = 2000, said } = options
  const file = { path: join(home, 'index.sqlite'), waitMs, ...(said && { said }) }
  return new OpenIndex(options, file, await openDatabase(file))
}

class OpenIndex implements SessionIndex {
  readonly #options: IndexOptions
  readonly #file: DatabaseOptions
  #database: DatabaseSync | undefined
  /** Whether something of the index was found to be damaged since the work began. */
  #spoilt = false

  constructor(options: IndexOptions, file: DatabaseOptions, database: DatabaseSync | undefined) {
    this.#options = options
    this.#file = file
    this.#database = database
  }

  list(options: ListOptions): Promise<readonly ListedSession[]> {
    return this.#using((from) => listed(from, options))
  }

  search(typed: string, sessions: readonly ListedSession[], options: SearchOptions) {
    return this.#using((from) => found(from, { sessions, terms: termsOf(typed), options }))
  }

  [Symbol.dispose](): void {
    this.#database?.close()
  }

  /** A damaged index shows itself only where it is read: it is put aside once, and the work begins again. */
  async #using<T>(work: (from: Indexed) => Promise<T>): Promise<T> {
    for (let round = 0; ; round++) {
      this.#spoilt = false
      const answer = await this.#caught(work)
      if (answer && !(this.#spoilt && round === 0)) return answer.value
      this.#database?.close()
      this.#database = undefined
      if (round === 0 && this.#spoilt && this.#attempt(() => putAside(this.#file)) !== undefined)
        this.#database = await openDatabase(this.#file)
    }
  }

  async #caught<T>(work: (from: Indexed) => Promise<T>): Promise<{ readonly value: T } | undefined> {
    const { store, clock } = this.#options
    const rows = this.#database && new Rows(this.#database)
    try {
      return { value: await work({ store, clock, rows, attempt: (what) => this.#attempt(what) }) }
    } catch (error) {
      // Without the index nothing of it can be refused: then it is somebody else's trouble.
      if (!isRefused(error) || !this.#database) throw error
      this.#spoilt ||= isSpoilt(error)
      return undefined
    }
  }

  #attempt<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      if (!isRefused(error)) throw error
      this.#spoilt ||= isSpoilt(error)
      return undefined
    }
  }
}
