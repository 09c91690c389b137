import type { SessionEntry, Store } from '@rein/session'
import type { Row, Rows } from './rows.ts'

/** Sessions as the index takes them in. */
export type IndexedStore = Pick<Store, 'list' | 'read' | 'ends' | 'name'> & {
  /** The name of the store that keeps a session, where there are several. */
  whereIs?(id: string): Promise<string | undefined>
}

/** What the parts of the index work with. */
export interface Indexed {
  readonly store: IndexedStore
  /** Milliseconds, of any clock that only goes forward. */
  readonly clock: () => number
  /** Undefined when there is no index: everything is read from the logs. */
  readonly rows: Rows | undefined
  /** @returns undefined when the index did not take it; the answer then comes from the logs. */
  attempt<T>(work: () => T): T | undefined
}

/** Write rows and remove others, all of it or, when the index does not take it now, nothing. */
export function save(
  { rows, attempt }: Indexed,
  {
    put,
    drop = [],
    learnt = [],
  }: {
    readonly put: readonly Row[]
    readonly drop?: readonly string[]
    /** Entries of which only `gone` is another. */
    readonly learnt?: readonly SessionEntry[]
  },
): void {
  if (!rows || put.length + drop.length + learnt.length === 0) return
  attempt(() =>
    rows.transaction(() => {
      for (const id of drop) rows.drop(id)
      for (const row of put) rows.put(row)
      for (const entry of learnt) rows.putGone(entry)
    }),
  )
}
