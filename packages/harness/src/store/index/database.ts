import { chmodSync, closeSync, constants, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { codeOf } from '../disk-failure.ts'
import { sqliteModule } from '../sqlite/module.ts'
import { schema, version } from './schema.ts'

export interface DatabaseOptions {
  /** Absolute; made when it is not there, mode 0600. */
  readonly path: string
  /** How long another process's write is waited for, in milliseconds. */
  readonly waitMs: number
  /** Told when the file was no index and was put aside. */
  readonly said?: (sentence: string) => void
}

/**
 * Open the index. It is never the truth: what is wrong with it is put aside and begun anew.
 * @returns undefined when there can be none here: no SQLite, a disk that refuses, or an index of a newer version. Then
 * everything is read from the logs.
 */
export async function openDatabase(options: DatabaseOptions): Promise<DatabaseSync | undefined> {
  const sqlite = sqliteModule()
  if (!sqlite) return undefined
  for (let round = 0; round < 2; round++) {
    try {
      return opened(sqlite, options)
    } catch (error) {
      if (!isRefused(error)) throw error
      if (!isSpoilt(error) || round > 0) return undefined
      putAside(options)
    }
  }
  return undefined
}

function opened(sqlite: typeof import('node:sqlite'), { path, waitMs }: DatabaseOptions): DatabaseSync | undefined {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  // Made here, so that it is never open to others, not even for a moment; its side files take its mode.
  closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600))
  chmodSync(path, 0o600)
  const database = new sqlite.DatabaseSync(path, { timeout: waitMs })
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY')
    const found = Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
    if (found === version) return database
    if (found < version) {
      begin(database)
      return database
    }
  } catch (error) {
    database.close()
    throw error
  }
  database.close()
  return undefined
}

/** A new index, or one of an older version: nothing of it is kept. Another process may have done it meanwhile. */
function begin(database: DatabaseSync): void {
  database.exec('BEGIN IMMEDIATE')
  if (Number(database.prepare('PRAGMA user_version').get()?.['user_version']) < version)
    database.exec(`${schema}; PRAGMA user_version = ${version}`)
  database.exec('COMMIT')
}

/** Moved, and the one put aside before goes: it was never the truth either. */
export function putAside({ path, said }: Pick<DatabaseOptions, 'path' | 'said'>): true {
  const aside = `${path}.broken`
  try {
    renameSync(path, aside)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  for (const side of ['-wal', '-shm']) rmSync(`${path}${side}`, { force: true })
  said?.(`The index of sessions was damaged; it lies in ${aside} now and is built anew.`)
  return true
}

/** Source: sqlite.org/rescode.html, primary codes in the low byte. */
const primary = (error: unknown): number =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : 0

/** SQLITE_ERROR for a table that is not as it was left, SQLITE_CORRUPT and SQLITE_NOTADB. */
export const isSpoilt = (error: unknown): boolean => [1, 11, 26].includes(primary(error))

/** The index, or the disk it is on, does not take this now; a bug is none of these. */
export const isRefused = (error: unknown): boolean => primary(error) !== 0 || /^E[A-Z0-9]+$/.test(codeOf(error) ?? '')
