import type { LogEnds } from '@rein/session'
import type { Tail } from '../jsonl/log-file.ts'
import { isRecord } from '../jsonl/tail.ts'
import { bytesOf, type Connection, numberOf } from './connection.ts'
import type { SessionRow } from './session-row.ts'
import { SqlTrouble } from './trouble.ts'

const newline = Uint8Array.of(10)
/** Positions of one session: more lines than any log has. */
const ROOM = 2 ** 32
/** Bytes handed out at a time. */
const BLOCK = 1024 * 1024

/** Where a line stands in the table. */
export const placeOf = (key: number, position: number): number => key * ROOM + position

/** The same rule as for files: a last record may lack only its newline. `torn` is also a log that lacks lines. */
export function tailOf(db: Connection, row: SessionRow): Tail {
  if (row.lines > 0) {
    const there = db.one(
      'SELECT min(at) AS first, max(at) AS last FROM line WHERE at BETWEEN ? AND ?',
      placeOf(row.key, 0),
      placeOf(row.key, ROOM - 1),
    )
    const whole =
      numberOf(there?.['first']) === placeOf(row.key, 0) &&
      numberOf(there?.['last']) === placeOf(row.key, row.lines - 1)
    if (!whole) return 'torn'
  }
  if (row.tail.length === 0) return 'clean'
  return isRecord(row.tail) ? 'lacks-newline' : 'torn'
}

export function insertLine(db: Connection, place: number, bytes: Uint8Array): void {
  db.run('INSERT INTO line (at, bytes) VALUES (?, ?)', place, bytes)
}

/** @returns how many bytes of the log it takes. */
export function insertText(db: Connection, place: number, line: string): number {
  const bytes = Buffer.from(line)
  insertLine(db, place, bytes)
  return bytes.length + 1
}

export function deleteLines(db: Connection, key: number): void {
  db.run('DELETE FROM line WHERE at BETWEEN ? AND ?', placeOf(key, 0), placeOf(key, ROOM - 1))
}

/** Lines by position, `from` included, `to` excluded, as they were written. */
export function* linesIn(
  db: Connection,
  key: number,
  range: { readonly from: number; readonly to: number },
): Generator<Uint8Array> {
  const rows = db.each(
    'SELECT bytes FROM line WHERE at >= ? AND at < ? ORDER BY at',
    placeOf(key, range.from),
    placeOf(key, Math.min(range.to, ROOM)),
  )
  for (const row of rows) yield bytesOf(row['bytes'])
}

/**
 * The bytes of a log in blocks: each line and its line end, then the tail. SQLite joins the lines: as text to itself,
 * which alters no byte, and costs a fifth of a row each.
 */
export function* blocksOf(db: Connection, { key, lines, bytes, tail }: SessionRow): Generator<Uint8Array> {
  const step = Math.max(1, Math.min(4096, Math.floor((BLOCK * lines) / Math.max(1, bytes))))
  for (let from = 0; from < lines; from += step) {
    const row = db.one(
      `SELECT CAST(group_concat(CAST(bytes AS TEXT) || char(10), '') AS BLOB) AS block
       FROM (SELECT bytes FROM line WHERE at >= ? AND at < ? ORDER BY at)`,
      placeOf(key, from),
      placeOf(key, Math.min(from + step, lines)),
    )
    const block = bytesOf(row?.['block'])
    if (block.length > 0) yield block
  }
  if (tail.length > 0) yield tail
}

/** @throws SqlTrouble when there should be lines and there is none: what is partly there is read as far as it is. */
export function mustHaveLines(db: Connection, { key, id, lines }: SessionRow): void {
  if (lines === 0) return
  const some = db.one(
    'SELECT 1 AS some FROM line WHERE at BETWEEN ? AND ? LIMIT 1',
    placeOf(key, 0),
    placeOf(key, ROOM - 1),
  )
  if (!some) throw new SqlTrouble('lines', `the lines of session ${id} are gone`)
}

/** The ends of a log; as many rows are read as they take. */
export function endsOf(
  db: Connection,
  row: SessionRow,
  most: { readonly head: number; readonly tail: number },
): LogEnds {
  const head = firstBytes(db, row, Math.min(most.head, row.bytes))
  const tail = lastBytes(db, row, Math.min(most.tail, row.bytes - head.length))
  return { head, tail, bytes: row.bytes }
}

function firstBytes(db: Connection, { key, tail }: SessionRow, wanted: number): Uint8Array {
  const found: Uint8Array[] = []
  let size = 0
  if (wanted > 0) {
    for (const line of linesIn(db, key, { from: 0, to: ROOM })) {
      found.push(line, newline)
      size += line.length + 1
      if (size >= wanted) break
    }
  }
  return Buffer.concat(size < wanted ? [...found, tail] : found).subarray(0, wanted)
}

function lastBytes(db: Connection, { key, tail }: SessionRow, wanted: number): Uint8Array {
  const found: Uint8Array[] = [tail]
  let size = tail.length
  if (size < wanted) {
    const rows = db.each(
      'SELECT bytes FROM line WHERE at BETWEEN ? AND ? ORDER BY at DESC',
      placeOf(key, 0),
      placeOf(key, ROOM - 1),
    )
    for (const row of rows) {
      const bytes = bytesOf(row['bytes'])
      found.unshift(bytes, newline)
      size += bytes.length + 1
      if (size >= wanted) break
    }
  }
  const all = Buffer.concat(found)
  return all.subarray(all.length - Math.min(wanted, all.length))
}
