import type { Amendment, Beside, BesidePart } from '@rein/session'
import { bytesOf, type Connection, textOf } from './connection.ts'
import { rowOf } from './session-row.ts'
import { orFailure, type Within } from './within.ts'

/** Where the pieces of a kind stand, what names them, what holds their bytes, and which rows are none. */
const tables = {
  aside: { table: 'aside', name: 'name', bytes: 'bytes', only: '' },
  blob: { table: 'blob', name: 'sha256', bytes: 'bytes', only: '' },
  // The row of a settled item stays, so that its id stays taken.
  post: { table: 'post', name: 'id', bytes: 'item', only: 'AND item IS NOT NULL' },
} as const

/** What belongs to a session beside its log, a row a piece. */
export async function* rowsBeside(within: Within, id: string, part: BesidePart): AsyncGenerator<Beside> {
  const { table, name, bytes, only } = tables[part]
  const reading = <T>(work: (db: Connection) => T) =>
    orFailure(within, `could not read what belongs to session ${id}`, () => within.database.reading(work))
  const found = await reading((db) => {
    const session = rowOf(db, id)
    const query = `SELECT ${name} AS name FROM ${table} WHERE session = ? ${only} ORDER BY ${name}`
    return session && { key: session.key, names: db.all(query, session.key).map((row) => textOf(row['name']) ?? '') }
  })
  if (!found) return
  const one = `SELECT CAST(${bytes} AS BLOB) AS bytes FROM ${table} WHERE session = ? AND ${name} = ? ${only}`
  for (const each of found.names) {
    const row = await reading((db) => db.one(one, found.key, each))
    if (row) yield { part, name: each, bytes: bytesOf(row['bytes']) }
  }
}

/** A piece whose row is gone, or settled, stays so. */
export function amendRows(db: Connection, key: number, pieces: readonly Amendment[]): void {
  for (const piece of pieces) {
    const { table, name, bytes, only } = tables[piece.part]
    const where = `WHERE session = ? AND ${name} = ? ${only}`
    if (piece.bytes === null) db.run(`DELETE FROM ${table} ${where}`, key, piece.name)
    else {
      const value = piece.part === 'post' ? Buffer.from(piece.bytes).toString('utf8') : piece.bytes
      db.run(`UPDATE ${table} SET ${bytes} = ? ${where}`, value, key, piece.name)
    }
  }
}
