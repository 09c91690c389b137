import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, type Stats } from 'node:fs'
import { errnoOf, unlessRefused } from '../files/trouble.ts'
import { type ByteName, pathOf } from './byte-name.ts'
import type { SkipReason } from './tree.ts'

export interface Content {
  readonly bytes: Buffer
  /** As they stood before the first and after the last byte was read. */
  readonly stats: Stats
}

/** How often a file that changes while it is read is tried. */
const tries = 3

/**
 * The whole of one regular file in one state of it; `gone` when it vanished. Follows no link, and waits for no pipe.
 * @param really where it must lie, when `path` names it otherwise.
 */
export function readSteady(path: ByteName, limit: number, really = path): Content | SkipReason | 'gone' {
  let file: number
  try {
    file = openSync(pathOf(path), constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  } catch (error) {
    return openTrouble(error)
  }
  try {
    // A folder on the way may have become a link meanwhile.
    if (elsewhere(file, really)) return 'gone'
    for (let attempt = 0; attempt < tries; attempt++) {
      const before = fstatSync(file)
      if (!before.isFile()) return 'special'
      if (before.size > limit) return 'large'
      const bytes = readWhole(file, before.size)
      if (bytes && sameState(before, fstatSync(file))) return { bytes, stats: before }
    }
    return 'unsteady'
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
    return 'unreadable'
  } finally {
    closeSync(file)
  }
}

export const sameState = (a: Stats, b: Stats): boolean =>
  a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.ino === b.ino

function openTrouble(error: unknown): SkipReason | 'gone' {
  switch (errnoOf(error)) {
    case undefined:
      throw error
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ELOOP':
      return 'gone'
    case 'ENXIO':
      return 'special'
    default:
      return 'unreadable'
  }
}

/** @returns undefined when there are not as many bytes as there were. */
function readWhole(file: number, size: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(size)
  let at = 0
  while (at < size) {
    const got = readSync(file, bytes, at, size - at, at)
    if (got === 0) return undefined
    at += got
  }
  return bytes
}

function elsewhere(file: number, path: ByteName): boolean {
  if (process.platform !== 'linux') return false
  // No /proc here: not checked.
  return unlessRefused(() => readlinkSync(`/proc/self/fd/${file}`, { encoding: 'latin1' }) !== path, false)
}
