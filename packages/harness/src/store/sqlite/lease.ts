import { type Amendment, type Failure, FailureError, type Lease, type Posted } from '@rein/session'
import { taken, tornLog } from '../failures.ts'
import type { Tail } from '../jsonl/log-file.ts'
import { type Appending, AppendQueue } from './append-queue.ts'
import { amendRows } from './beside.ts'
import type { Connection } from './connection.ts'
import type { Database } from './database.ts'
import { blocksOf, deleteLines, insertLine, insertText, placeOf } from './log-rows.ts'
import { newestPost, settlePosts, waitingPosts } from './posts.ts'
import { rowAt, type SessionRow } from './session-row.ts'
import { isTrouble, sqlFailure } from './trouble.ts'

const ASIDE = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/
/** How often posts are looked for where the system gives no hints. */
const POLL_MS = 1000

export interface LeaseParts {
  readonly database: Database
  /** The row as it was acquired, with the epoch of this lease. */
  readonly row: SessionRow
  readonly tail: Tail
  readonly now: () => number
}

/** The epoch is checked in the transaction that writes: what an overtaken holder writes is never there at all. */
export class SqliteLease implements Lease {
  readonly #parts: LeaseParts
  readonly #writes: AppendQueue
  #tail: Tail
  /** The log as acquired, kept once another was published in its place. */
  #acquired: readonly Uint8Array[] | undefined
  #dead: Failure | undefined
  #released = false

  constructor(parts: LeaseParts) {
    this.#parts = parts
    this.#tail = parts.tail
    this.#writes = new AppendQueue((batch) => this.#write(batch))
  }

  get id(): string {
    return this.#parts.row.id
  }

  get epoch(): number {
    return this.#parts.row.epoch
  }

  bytes(): AsyncIterable<Uint8Array> {
    return { [Symbol.asyncIterator]: () => this.#blocks() }
  }

  async *#blocks(): AsyncGenerator<Uint8Array> {
    const { row, database } = this.#parts
    using db = await database.another()
    db.exec('BEGIN')
    const acquired = this.#acquired
    if (acquired) yield* acquired
    // Whoever took over may have published another log: this one is no longer there to be read.
    else if (rowAt(db, row.key)?.log !== row.log) throw new FailureError(taken(this.id))
    else yield* blocksOf(db, row)
  }

  publish(lines: readonly string[], aside?: { readonly name: string; readonly bytes: Uint8Array }): Promise<void> {
    return this.#writes.next(async () => {
      whole(lines)
      if (aside && !ASIDE.test(aside.name)) throw new RangeError(`not a name for a side file: ${aside.name}`)
      const { key, log } = this.#parts.row
      await this.#settled('could not publish the repaired log', (db, row) => {
        if (!this.#acquired && row.log === log) this.#keepAcquired(db)
        if (aside)
          db.run('INSERT OR REPLACE INTO aside (session, name, bytes) VALUES (?, ?, ?)', key, aside.name, aside.bytes)
        deleteLines(db, key)
        db.run('UPDATE session SET log = log + 1 WHERE key = ?', key)
        this.#insert(db, { ...row, lines: 0, bytes: 0 }, lines)
      })
      this.#tail = 'clean'
    })
  }

  #keepAcquired(db: Connection): void {
    this.#acquired = [...blocksOf(db, this.#parts.row)]
  }

  append(expectedSeq: number, lines: readonly string[]): Promise<void> {
    return this.#writes.append(expectedSeq, lines)
  }

  /** One transaction for all that came in while the one before was written. */
  async #write(batch: readonly Appending[]): Promise<void> {
    this.#alive()
    const refused = new Map<Appending, Error>()
    let wrote = false
    await this.#settled('could not write to the session log', (db, row) => {
      refused.clear()
      const mended = this.#tail === 'lacks-newline' ? 1 : 0
      const accepted: string[] = []
      for (const one of batch) {
        const fault = this.#faultOf(one, row.lines + mended + accepted.length)
        if (fault) refused.set(one, fault)
        else accepted.push(...one.lines)
      }
      if (accepted.length === 0) return
      // The last record gets its line end: it is a line like any other then.
      if (mended === 1) insertLine(db, placeOf(row.key, row.lines), row.tail)
      this.#insert(db, { ...row, lines: row.lines + mended, bytes: row.bytes + mended }, accepted)
      wrote = true
    })
    if (wrote) this.#tail = 'clean'
    for (const one of batch) {
      const fault = refused.get(one)
      if (fault) one.reject(fault)
      else one.resolve()
    }
  }

  #insert(db: Connection, after: SessionRow, texts: readonly string[]): void {
    const { key, lines } = after
    let { bytes } = after
    for (const [index, text] of texts.entries()) bytes += insertText(db, placeOf(key, lines + index), text)
    const set = 'UPDATE session SET lines = ?, bytes = ?, tail = NULL, changed = ? WHERE key = ?'
    db.run(set, lines + texts.length, bytes, this.#parts.now(), key)
  }

  #faultOf({ expectedSeq, lines }: Appending, there: number): Error | undefined {
    if (this.#tail === 'torn') return new FailureError(tornLog(this.id))
    try {
      whole(lines)
    } catch (cause) {
      if (cause instanceof RangeError) return cause
      throw cause
    }
    if (there === expectedSeq) return undefined
    return new RangeError(`the log holds ${there} lines and the writer expected ${expectedSeq}: nothing was written`)
  }

  /** Every write is on the disk when it is acknowledged; what is left to find out is whose the session is. */
  sync(): Promise<void> {
    return this.#writes.next(() => this.check())
  }

  async check(): Promise<void> {
    await this.#settled('could not look at the session', () => {}, 'reading')
  }

  async renew(): Promise<void> {
    const { row, now } = this.#parts
    const renewed = (db: Connection) => void db.run('UPDATE session SET renewed = ? WHERE key = ?', now(), row.key)
    await this.#settled('could not renew the hold of the session', renewed, 'writingLightly')
  }

  async posted(): Promise<readonly Posted[]> {
    let items: readonly Posted[] = []
    await this.#settled('could not read what was posted', (db, { key }) => (items = waitingPosts(db, key)), 'reading')
    return items
  }

  settle(ids: readonly string[]): Promise<void> {
    return this.#settled('could not settle what was posted', (db, { key }) => settlePosts(db, key, ids))
  }

  async amend(pieces: readonly Amendment[]): Promise<boolean> {
    let gone = false
    await this.#writes.next(async () => {
      const doing = 'could not rewrite what belongs to the session'
      await this.#settled(doing, (db, { key }) => amendRows(db, key, pieces))
      // The journal holds what was there until it is written back and cut.
      gone = await this.#parts.database.settleJournal()
    })
    return gone
  }

  onPosted(listener: () => void): Disposable {
    const { database, row } = this.#parts
    let seen = 0
    const look = async (first = false): Promise<void> => {
      const newest = (await database.reading((db) => newestPost(db, row.key))) ?? 0
      const news = newest > seen && !first
      seen = Math.max(seen, newest)
      if (news && !stopped) listener()
    }
    let stopped = false
    // A look that fails is a hint less; the writer meets the trouble itself.
    const quietly = (first?: boolean): void => void look(first).catch(() => undefined)
    quietly(true)
    const timer = setInterval(quietly, POLL_MS).unref()
    const hints = database.onChange(quietly)
    return {
      [Symbol.dispose]() {
        stopped = true
        clearInterval(timer)
        hints[Symbol.dispose]()
      },
    }
  }

  release(): Promise<void> {
    return this.#writes.next(async () => {
      if (this.#released) return
      this.#released = true
      this.#dead ??= { code: 'SESSION_TAKEN', message: `the right to write session ${this.id} was given back` }
      const { database, row } = this.#parts
      try {
        await database.writing((db) =>
          db.run(
            'UPDATE session SET host = NULL, pid = NULL, started = NULL WHERE key = ? AND epoch = ?',
            row.key,
            row.epoch,
          ),
        )
      } catch (cause) {
        if (!isTrouble(cause)) throw cause
        // Unmarked, this writer counts as silent, and the next one waits for a moment.
        process.emitWarning(`session ${this.id} could not be marked as released: ${String(cause)}`)
      }
    })
  }

  #alive(): void {
    if (this.#dead) throw new FailureError(this.#dead)
  }

  /** Do it if the session is still this lease's, in one transaction. Whatever else than a yes ends the lease. */
  async #settled(
    doing: string,
    work: (db: Connection, row: SessionRow) => void,
    how: 'writing' | 'writingLightly' | 'reading' = 'writing',
  ): Promise<void> {
    this.#alive()
    const { database, row } = this.#parts
    try {
      await database[how]((db) => {
        const now = rowAt(db, row.key)
        if (now?.epoch !== row.epoch) throw new FailureError(taken(this.id))
        work(db, now)
      })
    } catch (cause) {
      if (cause instanceof FailureError) this.#dead = cause.failure
      else if (isTrouble(cause)) this.#dead = sqlFailure({ code: 'LOG_WRITE', what: doing, path: database.path }, cause)
      else throw cause
      throw new FailureError(this.#dead, { cause })
    }
  }
}

/** One line break inside a line would shift every later position. */
function whole(lines: readonly string[]): void {
  for (const line of lines) if (line.includes('\n')) throw new RangeError('a line of the log holds a line break')
}
