import { type Blobs, type FailureCode, FailureError } from '@rein/session'
import { missing } from '../failures.ts'
import { sha256Of } from '../hasher.ts'
import { bytesOf, type Connection } from './connection.ts'
import type { Database } from './database.ts'
import { rowOf } from './session-row.ts'
import { isTrouble, sqlFailure } from './trouble.ts'

/** The blobs of one session, rows of its own, named by what they hold. */
export function rowBlobs(database: Database, id: string): Blobs {
  const guarded = async <T>(code: FailureCode, what: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (cause) {
      if (cause instanceof FailureError || !isTrouble(cause)) throw cause
      throw new FailureError(sqlFailure({ code, what, path: database.path }, cause), { cause })
    }
  }
  return {
    put: (bytes) =>
      guarded('LOG_WRITE', `could not keep a blob of ${bytes.length} bytes`, async () => {
        if (!database.exists()) throw new FailureError(missing(id))
        const name = sha256Of(bytes)
        await database.writing((db) => keep(db, id, { name, bytes }))
        return name
      }),
    get: (sha256) =>
      guarded('FILE_ERROR', 'could not read a blob', () => database.reading((db) => soundBlob(db, id, sha256))),
    link: (sha256, from) =>
      guarded('LOG_WRITE', 'could not take a blob over', async () => {
        if (!database.exists()) throw new FailureError(missing(id))
        return database.writing((db) => {
          const bytes = soundBlob(db, from, sha256)
          if (!rowOf(db, id)) throw new FailureError(missing(id))
          if (bytes) keep(db, id, { name: sha256, bytes })
          return bytes !== undefined
        })
      }),
  }
}

function soundBlob(db: Connection, id: string, sha256: string): Uint8Array | undefined {
  const session = rowOf(db, id)
  const row = session && db.one('SELECT bytes FROM blob WHERE session = ? AND sha256 = ?', session.key, sha256)
  if (!row) return undefined
  const bytes = bytesOf(row['bytes'])
  return sha256Of(bytes) === sha256 ? bytes : undefined
}

/** A copy that was damaged is replaced. */
function keep(db: Connection, id: string, blob: { readonly name: string; readonly bytes: Uint8Array }): void {
  const session = rowOf(db, id)
  if (!session) throw new FailureError(missing(id))
  if (soundBlob(db, id, blob.name)) return
  db.run('INSERT OR REPLACE INTO blob (session, sha256, bytes) VALUES (?, ?, ?)', session.key, blob.name, blob.bytes)
}
