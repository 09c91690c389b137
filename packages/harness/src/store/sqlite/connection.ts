import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'
import { sqliteModule } from './module.ts'
import { SqlTrouble } from './trouble.ts'

/** How long one call may wait for another process's write, in milliseconds: the event loop stands still meanwhile. */
const BLOCKED_MS = 25

export type Row = Readonly<Record<string, SQLOutputValue>>

/** One open connection. Every transaction begins and ends within one call, so none is ever open between turns. */
export class Connection implements Disposable {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  /** The file must exist: it was made with its own mode, which its companions take over. */
  constructor(path: string) {
    const sqlite = sqliteModule()
    if (!sqlite) throw new SqlTrouble('absent', 'this Node was built without SQLite')
    this.#db = new sqlite.DatabaseSync(path, { timeout: BLOCKED_MS })
  }

  exec(sql: string): void {
    this.#db.exec(sql)
  }

  pragma(name: string): SQLOutputValue | undefined {
    return this.one(`PRAGMA ${name}`)?.[name]
  }

  one(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
    return this.#prepared(sql).get(...values)
  }

  all(sql: string, ...values: readonly SQLInputValue[]): readonly Row[] {
    return this.#prepared(sql).all(...values)
  }

  /** Row by row; not shared: the statement belongs to this pass. */
  each(sql: string, ...values: readonly SQLInputValue[]): Iterable<Row> {
    const statement = this.#db.prepare(sql)
    return { [Symbol.iterator]: () => statement.iterate(...values) }
  }

  /** @returns how many rows it changed. */
  run(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(this.#prepared(sql).run(...values).changes)
  }

  /** All of `work` or nothing. What it throws undoes it. */
  transact<T>(work: () => T): T {
    return this.#within('BEGIN IMMEDIATE', work)
  }

  /** `work` sees one state of the database, whatever others write. */
  snapshot<T>(work: () => T): T {
    return this.#within('BEGIN', work)
  }

  #within<T>(begin: string, work: () => T): T {
    this.#db.exec(begin)
    try {
      const value = work()
      this.#db.exec('COMMIT')
      return value
    } catch (cause) {
      // Some refusals, such as a full disk, have undone it already.
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      throw cause
    }
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#db.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  [Symbol.dispose](): void {
    this.#db.close()
  }
}

/** A number of a row; NaN where something else stands, which no check lets pass. */
export const numberOf = (value: SQLOutputValue | undefined): number => (typeof value === 'number' ? value : Number.NaN)
export const textOf = (value: SQLOutputValue | undefined): string | null => (typeof value === 'string' ? value : null)
export const bytesOf = (value: SQLOutputValue | undefined): Uint8Array =>
  value instanceof Uint8Array ? value : new Uint8Array(0)
