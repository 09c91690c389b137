import { mkdirSync, readFileSync, renameSync, type Stats, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { errnoOf } from '../files/trouble.ts'
import type { ByteName } from './byte-name.ts'
import { ownName } from './own-name.ts'

/**
 * Which bytes a file held when it looked like this. Times in milliseconds since 1970, as exact as the system gives
 * them. Without `settled` it could have changed right after it was read without looking different.
 */
export type Stamp = readonly [size: number, mtime: number, ctime: number, inode: number, hash: string, settled: boolean]

/** What is known of the files of a workspace, by folder and name. */
export type StatCache = Map<ByteName, Map<ByteName, Stamp>>

const version = 1
/** A file that changed less than this before it was read may change again without looking different, in milliseconds. */
const granularity = 2_100

/** The hash a file is known to have, as long as it looks as it did. */
export const known = (stamp: Stamp | undefined, stats: Stats): string | undefined =>
  stamp?.[5] && looksAs(stamp, stats) ? stamp[4] : undefined

export const looksAs = ([size, mtime, ctime, inode]: Stamp, stats: Stats): boolean =>
  stats.size === size && stats.mtimeMs === mtime && stats.ctimeMs === ctime && stats.ino === inode

/** @param now when the reading began: the rule of an index with racy times. */
export const stampOf = ({ size, mtimeMs, ctimeMs, ino }: Stats, hash: string, now: number): Stamp => [
  size,
  mtimeMs,
  ctimeMs,
  ino,
  hash,
  Math.max(mtimeMs, ctimeMs) < now - granularity,
]

/** What an earlier process knew; nothing when that cannot be read: it is only a saving. */
export function readCache(path: string): StatCache {
  try {
    const stored: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof stored !== 'object' || stored === null || !('v' in stored) || stored.v !== version) return new Map()
    const folders = 'folders' in stored && Array.isArray(stored.folders) ? stored.folders : []
    return new Map(folders.map(([folder, files]) => [folder, new Map(files)]))
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof TypeError) && errnoOf(error) === undefined) throw error
    return new Map()
  }
}

/** Written whole under another name first; the last of several processes wins, and each wrote what is true. */
export function writeCache(path: string, cache: StatCache): void {
  const folders = [...cache].map(([folder, files]) => [folder, [...files]])
  const temporary = `${path}.${ownName()}.tmp`
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(temporary, JSON.stringify({ v: version, folders }), { mode: 0o600 })
  renameSync(temporary, path)
}
