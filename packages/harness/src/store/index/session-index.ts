import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Store } from '@rein/session'
import { isRefused, isSpoilt, openDatabase, putAside } from './database.ts'
import { type ListedSession, type ListOptions, listed } from './listing.ts'
import { termsOf } from './query.ts'
import { type Row, Rows } from './rows.ts'
import { type FoundSession, found, type SearchOptions } from './search.ts'

export interface IndexOptions {
  /** `$REIN_HOME`, absolute: the index is `index.sqlite` there. */
  readonly home: string
  readonly store: Pick<Store, 'list' | 'read' | 'ends' | 'name'> & {
    /** The name of the store that keeps a session, where there are several. */
    whereIs?(id: string): Promise<string | undefined>
  }
  /** Milliseconds, of any clock that only goes forward. */
  readonly clock: () => number
  /** How long another process's write is waited for, in milliseconds. Default 2000. */
  readonly waitMs?: number
  /** Told, in a sentence, when the index was damaged and is built anew, or cannot be used. */
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

/** What the parts of the index work with. */
export interface Indexed {
  readonly store: IndexOptions['store']
  readonly clock: () => number
  whereIs(id: string): Promise<string | undefined>
  /** @returns undefined when the index did not take it; the answer then comes from the logs. */
  attempt<T>(work: () => T): T | undefined
  save(rows: Rows | undefined, change: { readonly put: readonly Row[]; readonly drop: readonly string[] }): void
}

export async function sessionIndex(options: IndexOptions): Promise<SessionIndex> {
  const { home, store, clock, waitMs = 2000, said } = options
  const at = { path: join(home, 'index.sqlite'), waitMs, ...(said && { said }) }
  let database: DatabaseSync | undefined = await openDatabase(at)
  let spoilt = false
  const attempt = <T>(work: () => T): T | undefined => {
    try {
      return work()
    } catch (error) {
      if (!isRefused(error)) throw error
      spoilt ||= isSpoilt(error)
      return undefined
    }
  }
  const indexed: Indexed = {
    store,
    clock,
    whereIs: async (id) => store.whereIs?.(id) ?? store.name,
    attempt,
    save(rows, { put, drop }) {
      if (!rows || put.length + drop.length === 0) return
      const change = (): void => {
        for (const id of drop) rows.drop(id)
        for (const row of put) rows.put(row)
      }
      attempt(() => rows.transaction(change))
    },
  }
  /** A damaged index shows itself only where it is read: it is put aside once, and the work begins again. */
  const using = async <T>(work: (rows: Rows | undefined) => Promise<T>): Promise<T> => {
    for (let round = 0; ; round++) {
      const rows = database && new Rows(database)
      spoilt = false
      const answer = await caught(() => work(rows))
      if (answer && !(spoilt && round === 0)) return answer.value
      database?.close()
      database = undefined
      if (round === 0 && spoilt && attempt(() => putAside(at)) !== undefined) database = await openDatabase(at)
    }
  }
  const caught = async <T>(work: () => Promise<T>): Promise<{ readonly value: T } | undefined> => {
    try {
      return { value: await work() }
    } catch (error) {
      // Without the index nothing of it can be refused: then it is somebody else's trouble.
      if (!isRefused(error) || !database) throw error
      spoilt ||= isSpoilt(error)
      return undefined
    }
  }
  return {
    list: (how) => using((rows) => listed(indexed, rows, how)),
    search: (typed, sessions, how) =>
      using((rows) => found(indexed, rows, { sessions, terms: termsOf(typed), options: how })),
    [Symbol.dispose]: () => database?.close(),
  }
}
