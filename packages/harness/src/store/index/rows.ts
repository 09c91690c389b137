import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'
import type { SessionEntry } from '@rein/session'
import { isOutcome, type LogFacts, noFacts } from './facts.ts'
import { fieldsOf, parsed } from './json.ts'
import type { Mark } from './read-on.ts'

/** What the index remembers of one session. */
export interface Row {
  readonly store: string
  readonly entry: SessionEntry
  /** Null when nothing was read of it: it was broken. */
  readonly facts: LogFacts | null
  /** Whether the facts are of the whole log, and not of its two ends. */
  readonly whole: boolean
  readonly mark: Mark
}

/** What a list shows of a row, without reading all of it. */
export interface RowHead {
  readonly entry: SessionEntry
  /** The name of the store that keeps it. */
  readonly store: string
  readonly title: string
  /** Null when no turn ever began, or nothing of it can be read. */
  readonly outcome: LogFacts['outcome']
  /** Places where something was lost, as far as the log was read. */
  readonly damage: number
  /** The format its log names; null when that cannot be read. */
  readonly format: number | null
  /** Whether the whole log was read for this, and not only its two ends. */
  readonly whole: boolean
}

const select = 'SELECT id, store, bytes, changed, cwd, gone, title, outcome, damage, format, whole FROM session'
const insert = `INSERT INTO session
  (id, store, bytes, changed, cwd, gone, title, outcome, damage, format, whole, facts_bytes, facts_head, facts)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET store = excluded.store, bytes = excluded.bytes, changed = excluded.changed,
    cwd = excluded.cwd, gone = excluded.gone, title = excluded.title, outcome = excluded.outcome, damage = excluded.damage,
    format = excluded.format, whole = excluded.whole, facts_bytes = excluded.facts_bytes,
    facts_head = excluded.facts_head, facts = excluded.facts`

/** The rows of the index. Every method throws what the database throws. */
export class Rows {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  heads(): ReadonlyMap<string, RowHead> {
    const statement = this.statement(select)
    statement.setReturnArrays(true)
    const rows = statement.all() as unknown as readonly (readonly SQLOutputValue[])[]
    const heads = new Map<string, RowHead>()
    for (const row of rows) heads.set(String(row[0]), headOf(row))
    return heads
  }

  /** Everything of one session; undefined when it is not known or cannot be made sense of. */
  row(id: string): { readonly facts: LogFacts; readonly whole: boolean; readonly mark: Mark } | undefined {
    const found = this.statement('SELECT facts, whole, facts_bytes, facts_head FROM session WHERE id = ?').get(id)
    if (!found) return undefined
    const facts = { ...noFacts, ...fieldsOf(parsed(String(found['facts']))) }
    return { facts, whole: found['whole'] === 1, mark: markOf(found['facts_bytes'], found['facts_head']) }
  }

  allFacts(): ReadonlyMap<string, LogFacts> {
    const rows = this.statement('SELECT id, facts FROM session').all()
    return new Map(rows.map(({ id, facts }) => [String(id), { ...noFacts, ...fieldsOf(parsed(String(facts))) }]))
  }

  put({ entry, store, facts, whole, mark }: Row): void {
    const { id, bytes, changed, cwd, gone = null } = entry
    const shown = facts ?? noFacts
    const { title, outcome, damage, format } = shown
    this.statement(insert).run(
      ...[id, store, bytes, changed, cwd, gone, title, outcome, damage, format, whole ? 1 : 0],
      ...[mark.bytes, mark.head, JSON.stringify(shown)],
    )
  }

  /** What the store knows of who wrote last. */
  putGone({ id, gone }: SessionEntry): void {
    this.statement('UPDATE session SET gone = ? WHERE id = ?').run(gone ?? null, id)
  }

  /** A session that is gone goes with its texts. */
  drop(id: string): void {
    const found = this.statement('SELECT n FROM session WHERE id = ?').get(id)
    if (!found) return
    this.dropTexts(Number(found['n']))
    this.statement('DELETE FROM session WHERE id = ?').run(id)
  }

  /** One by one: a range of `words` is looked for in the whole of it. */
  dropTexts(n: number): void {
    const { from, to } = span(n)
    for (const { at } of this.statement('SELECT at FROM passage WHERE at BETWEEN ? AND ?').all(from, to))
      this.statement('DELETE FROM words WHERE rowid = ?').run(Number(at))
    this.statement('DELETE FROM passage WHERE at BETWEEN ? AND ?').run(from, to)
  }

  /** All of it, or nothing. */
  transaction(work: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      work()
      this.#database.exec('COMMIT')
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
      throw error
    }
  }

  statement(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const made = this.#database.prepare(sql)
    this.#statements.set(sql, made)
    return made
  }
}

export const markOf = (bytes: unknown, head: unknown): Mark => ({ bytes: Number(bytes), head: String(head) })

/** Events of a session the index has a number for. */
export const perSession = 2 ** 32

/** The numbers of a session's events. */
export const span = (n: number): { readonly from: number; readonly to: number } => ({
  from: n * perSession,
  to: (n + 1) * perSession - 1,
})

function headOf(row: readonly SQLOutputValue[]): RowHead {
  const [id, store, bytes, changed, cwd, gone, title, outcome, damage, format, whole] = row
  const entry: SessionEntry = {
    id: String(id),
    bytes: Number(bytes),
    changed: Number(changed),
    cwd: cwd === null ? null : String(cwd),
    state: 'free',
  }
  return {
    entry: typeof gone === 'number' ? { ...entry, gone } : entry,
    store: String(store),
    title: String(title),
    outcome: typeof outcome === 'string' && (outcome === 'open' || isOutcome(outcome)) ? outcome : null,
    damage: Number(damage),
    format: format === null ? null : Number(format),
    whole: whole === 1,
  }
}
