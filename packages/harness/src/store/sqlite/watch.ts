import { FailureError, type Watched } from '@rein/session'
import { Bell } from '../bell.ts'
import { Delivered } from '../delivered.ts'
import { missing } from '../failures.ts'
import type { Connection } from './connection.ts'
import type { Database } from './database.ts'
import { linesIn } from './log-rows.ts'
import { rowAt, rowOf } from './session-row.ts'
import { isTrouble, sqlFailure } from './trouble.ts'

/** Lines looked at in one go, before they are handed out. */
const AT_A_TIME = 1000

/** Lines from `from` on and then what follows, woken by hints and every `pollMs` milliseconds, until `signal` aborts. */
export async function* watchRows(
  database: Database,
  of: { readonly id: string; readonly from: number },
  options: { readonly signal: AbortSignal; readonly pollMs: number },
): AsyncGenerator<Watched> {
  const { signal, pollMs } = options
  const follower = new RowFollower(of)
  const bell = new Bell()
  const stop = (): void => bell.ring()
  using _hints = database.onChange(stop)
  signal.addEventListener('abort', stop)
  try {
    while (!signal.aborted) {
      const { news, more } = (await database.reading((db) => follower.news(db))) ?? gone(of.id)
      for (const each of news) {
        if (signal.aborted) return
        yield each
      }
      if (!signal.aborted && !more) await bell.wait(pollMs)
    }
  } catch (cause) {
    if (!isTrouble(cause)) throw cause
    const doing = { code: 'FILE_ERROR', what: `could not follow session ${of.id}`, path: database.path } as const
    throw new FailureError(sqlFailure(doing, cause), { cause })
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function gone(id: string): never {
  throw new FailureError(missing(id))
}

/** Where a watcher stands in one session's lines. */
class RowFollower {
  readonly #id: string
  readonly #delivered: Delivered
  #key: number | undefined
  /** Which log was read last; another one is compared from the beginning. */
  #log: number | undefined
  #position = 0
  readonly #from: number

  constructor({ id, from }: { readonly id: string; readonly from: number }) {
    this.#id = id
    this.#from = from
    this.#position = from
    this.#delivered = new Delivered(from)
  }

  /** What there is to deliver now, all of one state of the database. @throws FailureError when the session is gone. */
  news(db: Connection): { readonly news: readonly Watched[]; readonly more: boolean } {
    const row = this.#key === undefined ? rowOf(db, this.#id) : rowAt(db, this.#key)
    if (!row) throw new FailureError(missing(this.#id))
    this.#key = row.key
    if (this.#log !== row.log) this.#position = this.#from
    this.#log = row.log
    const to = Math.min(row.lines, this.#position + AT_A_TIME)
    const lines: string[] = []
    if (to > this.#position)
      for (const bytes of linesIn(db, row.key, { from: this.#position, to }))
        lines.push(Buffer.from(bytes).toString('utf8'))
    const position = this.#position
    this.#position = Math.max(position, to)
    const news = [...this.#delivered.offer(position, lines)]
    const more = this.#position < row.lines
    if (!more) news.push(...this.#delivered.shorter(row.lines))
    return { news, more }
  }
}
