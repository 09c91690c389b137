import type { Holder, SessionEntry } from '@rein/session'
import type { Judge, Verdict } from '../jsonl/one-writer.ts'
import { bytesOf, type Connection, numberOf, type Row, textOf } from './connection.ts'

/** One session as its row says. */
export interface SessionRow {
  readonly key: number
  readonly id: string
  readonly cwd: string | null
  readonly epoch: number
  /** undefined when nobody holds it. */
  readonly holder: Holder | undefined
  readonly renewed: number
  readonly changed: number
  /** Bytes of the log, the tail included. */
  readonly bytes: number
  /** Lines with a line end. */
  readonly lines: number
  /** What stands after the last line end. */
  readonly tail: Uint8Array
  /** Another one for each log that was published. */
  readonly log: number
}

/** What holds of a session's lines: the first and the last row there is, or none at all. */
const LINES_THERE = `EXISTS (SELECT 1 FROM line WHERE at BETWEEN key * 4294967296 AND key * 4294967296 + 4294967295)`

export function rowOf(db: Connection, id: string): SessionRow | undefined {
  const row = db.one(`SELECT * FROM session WHERE id = ? AND state = 'live'`, id)
  return row && toSession(row)
}

export function rowAt(db: Connection, key: number): SessionRow | undefined {
  const row = db.one(`SELECT * FROM session WHERE key = ? AND state = 'live'`, key)
  return row && toSession(row)
}

export function toSession(row: Row): SessionRow {
  return {
    key: numberOf(row['key']),
    id: textOf(row['id']) ?? '',
    cwd: textOf(row['cwd']),
    epoch: numberOf(row['epoch']),
    holder: holderIn(row),
    renewed: numberOf(row['renewed']),
    changed: numberOf(row['changed']),
    bytes: numberOf(row['bytes']),
    lines: numberOf(row['lines']),
    tail: bytesOf(row['tail']),
    log: numberOf(row['log']),
  }
}

function holderIn(row: Row): Holder | undefined {
  const [host, pid, started] = [textOf(row['host']), numberOf(row['pid']), textOf(row['started'])]
  return host === null || started === null || Number.isNaN(pid) ? undefined : { host, pid, started }
}

/** A row's claim, judged as a lock file is. */
export function verdictOn(row: SessionRow, judge: Judge): Verdict {
  const { epoch, holder, renewed } = row
  return judge({ epoch, identity: '', holder, released: holder === undefined, changed: renewed, close() {} })
}

/** Every session in one query, newest first; broken: there should be lines and there is none. */
export function listRows(db: Connection, judge: Judge): readonly SessionEntry[] {
  const rows = db.all(
    `SELECT key, id, cwd, epoch, host, pid, started, renewed, changed, bytes, lines, log,
       lines = 0 OR ${LINES_THERE} AS whole
     FROM session WHERE state = 'live' ORDER BY changed DESC, id`,
  )
  return rows.map((row) => toEntry(row, judge))
}

/** The same session by session, for a database whose pages are damaged in places. */
export function listRowsOneByOne(
  db: Connection,
  judge: Judge,
  isDamage: (cause: unknown) => boolean,
): readonly SessionEntry[] {
  return db.all(`SELECT * FROM session WHERE state = 'live' ORDER BY changed DESC, id`).map((row) => {
    try {
      const { key, lines } = toSession(row)
      const there = db.one(`SELECT ${LINES_THERE} AS whole FROM session WHERE key = ?`, key)
      return toEntry({ ...row, whole: lines === 0 ? 1 : (there?.['whole'] ?? 0) }, judge)
    } catch (cause) {
      if (!isDamage(cause)) throw cause
      return toEntry({ ...row, whole: 0 }, judge)
    }
  })
}

function toEntry(row: Row, judge: Judge): SessionEntry {
  const session = toSession(row)
  const { id, bytes, changed, cwd } = session
  if (row['whole'] !== 1) return { id, bytes, changed, cwd, state: 'broken' }
  return { id, bytes, changed, cwd, state: verdictOn(session, judge) === 'alive' ? 'held' : 'free' }
}
