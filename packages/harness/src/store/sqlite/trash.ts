import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Trashed } from '@rein/session'
import { isAbsent } from '../disk-failure.ts'
import { type Connection, numberOf, type Row, textOf } from './connection.ts'
import { deleteLines } from './log-rows.ts'

/** One session in the trash, its row and its spill folder. */
export interface TrashedRow extends Trashed {
  readonly key: number
}

/** Its name there: never one of a file store's, which has a slash. */
const nameOf = (id: string, key: number): string => `${id}.${key}`

/** @returns the key a name means; undefined for what is no such name. */
export function keyIn(name: string): number | undefined {
  const [, key] = /^[A-Za-z0-9_-]{1,128}\.(\d{1,7})$/.exec(name) ?? []
  return key === undefined ? undefined : Number(key)
}

export function trashedRows(db: Connection): readonly TrashedRow[] {
  const rows = db.all(
    `SELECT key, id, trashed,
       bytes + coalesce((SELECT sum(length(bytes)) FROM blob WHERE session = key), 0)
             + coalesce((SELECT sum(length(bytes)) FROM aside WHERE session = key), 0) AS weight
     FROM session WHERE state = 'trash' ORDER BY trashed DESC, key DESC`,
  )
  return rows.map(toTrashed)
}

function toTrashed(row: Row): TrashedRow {
  const [key, id] = [numberOf(row['key']), textOf(row['id']) ?? '']
  return { key, id, name: nameOf(id, key), at: numberOf(row['trashed']), bytes: numberOf(row['weight']) }
}

/** Everything of a session that stands in the database. */
export function deleteSession(db: Connection, key: number): void {
  deleteLines(db, key)
  for (const table of ['blob', 'aside', 'post'] as const) db.run(`DELETE FROM ${table} WHERE session = ?`, key)
  db.run('DELETE FROM session WHERE key = ?', key)
}

/** Where the spill files of a session stand: it is never another's, not even of the same id. */
export const spillPath = (spill: string, id: string, key: number): string => join(spill, `${id}.${key}`)

export async function bytesInFolder(folder: string): Promise<number> {
  try {
    let bytes = 0
    for (const name of await readdir(folder)) bytes += (await lstat(join(folder, name))).size
    return bytes
  } catch (cause) {
    if (isAbsent(cause)) return 0
    throw cause
  }
}

export const removeFolder = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true })
