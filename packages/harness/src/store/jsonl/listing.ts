import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { SessionEntry } from '@rein/session'
import { codeOf, isAbsent } from '../disk-failure.ts'
import { openLock } from './disk.ts'
import { lockPath, logPath, type Place, parseName, partPath, readEpochs } from './names.ts'
import type { Judge } from './one-writer.ts'

/** Sessions looked at before the event loop gets a turn: about 5 ms of work. */
const AT_A_TIME = 256
/** The first event names the directory early; a longer first line is read up to here and no further. */
const FIRST_LINE = 65_536
/** Reused: filled and decoded without giving the event loop a turn. */
const FIRST = Buffer.allocUnsafe(FIRST_LINE)

/** The workspace folders under the root. */
export async function workspaces(root: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(root, { withFileTypes: true })
    return entries
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map((entry) => join(root, entry.name))
  } catch (cause) {
    if (isAbsent(cause)) return []
    throw cause
  }
}

/** Where a session is, whichever workspace it belongs to. */
export async function locateSession(root: string, id: string): Promise<Place | undefined> {
  const folders = await workspaces(root)
  for (const folder of folders) {
    if (statSync(partPath({ folder, id }, 'inbox'), { throwIfNoEntry: false })) return { folder, id }
  }
  // A log that was copied here by hand has no inbox yet.
  for (const folder of folders) {
    if (namesIn(folder)?.some((name) => belongsTo(name, id))) return { folder, id }
  }
  return undefined
}

/** Whether any workspace has a log of this id. A lock or an inbox alone is what a broken-off restore left. */
export async function isInUse(root: string, id: string): Promise<boolean> {
  for (const folder of await workspaces(root)) if ((await readEpochs({ folder, id })).logs.length > 0) return true
  return false
}

function belongsTo(name: string, id: string): boolean {
  const parsed = parseName(name)
  return parsed?.id === id && parsed.part.kind !== 'other'
}

/** @returns undefined when the folder cannot be read. */
function namesIn(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder)
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause
    return undefined
  }
}

export interface Listing {
  readonly judge: Judge
  /** Entries of an earlier list: a log of the same bytes and time is not opened. */
  readonly known?: ReadonlyMap<string, SessionEntry> | undefined
  /** Told where each session was found, and the highest epochs of its files. */
  readonly found?: (at: Place, top: Top) => void
}

/** Every session under the root, newest first: one look at the log and its first line each, never more. */
export async function listSessions(root: string, listing: Listing): Promise<readonly SessionEntry[]> {
  const entries: SessionEntry[] = []
  let looked = 0
  for (const folder of await workspaces(root)) {
    const names = namesIn(folder)
    if (!names) {
      // Nothing inside can be told; the folder itself is shown, so that nothing is left out in silence.
      entries.push(broken(folder.slice(root.length + 1), folder))
      continue
    }
    for (const [id, top] of highest(names)) {
      entries.push(entryOf({ folder, id }, top, listing))
      listing.found?.({ folder, id }, top)
      if (++looked % AT_A_TIME === 0) await setImmediate()
    }
  }
  return entries.sort((a, b) => b.changed - a.changed || (a.id < b.id ? -1 : 1))
}

/** The highest epochs of a session's files; 0: there is none. */
export interface Top {
  log: number
  lock: number
}

function highest(names: readonly string[]): ReadonlyMap<string, Top> {
  const sessions = new Map<string, Top>()
  for (const name of names) {
    const parsed = parseName(name)
    if (!parsed || parsed.part.kind === 'other') continue
    const top = sessions.get(parsed.id) ?? { log: 0, lock: 0 }
    top[parsed.part.kind] = Math.max(top[parsed.part.kind], parsed.part.epoch)
    sessions.set(parsed.id, top)
  }
  return sessions
}

function entryOf(at: Place, top: Top, { judge, known }: Listing): SessionEntry {
  if (top.log === 0) return broken(at.id, lockPath(at, top.lock))
  const path = logPath(at, top.log)
  try {
    const before = known?.get(at.id)
    if (before && before.state !== 'broken' && isSame(path, before))
      return { ...before, state: isHeld(at, top.lock, judge) ? 'held' : 'free' }
    // Without waiting: a pipe in the place of a log must not hang the list.
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const stat = fstatSync(fd)
      if (!stat.isFile()) return broken(at.id, path)
      const state = isHeld(at, top.lock, judge) ? 'held' : 'free'
      return { id: at.id, bytes: stat.size, changed: stat.mtimeMs, cwd: directoryIn(fd), state }
    } finally {
      closeSync(fd)
    }
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause
    return broken(at.id, path)
  }
}

function isSame(path: string, before: SessionEntry): boolean {
  const now = lstatSync(path)
  return now.isFile() && now.size === before.bytes && now.mtimeMs === before.changed
}

function broken(id: string, path: string): SessionEntry {
  try {
    return { id, bytes: 0, changed: lstatSync(path).mtimeMs, cwd: null, state: 'broken' }
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause
    return { id, bytes: 0, changed: 0, cwd: null, state: 'broken' }
  }
}

function isHeld(at: Place, epoch: number, judge: Judge): boolean {
  if (epoch === 0) return false
  const stat = statSync(lockPath(at, epoch), { throwIfNoEntry: false })
  // Most locks are old: their time alone says that nobody lives, without opening them.
  const unread = { epoch, identity: '', holder: undefined, released: false, close() {} }
  if (!stat || judge({ ...unread, changed: stat.mtimeMs }) !== 'alive') return false
  const lock = openLock(lockPath(at, epoch), epoch)
  if (!lock) return false
  lock.close()
  return judge(lock) === 'alive'
}

/** The directory the first event of a log names; null as for `directoryIn`. */
export function directoryOf(log: string): string | null {
  const fd = openSync(log, 'r')
  try {
    return directoryIn(fd)
  } finally {
    closeSync(fd)
  }
}

/** The directory the first event names; null when the first line is missing, cut or something else. */
function directoryIn(fd: number): string | null {
  let length = 0
  let end = -1
  for (const upTo of [1024, FIRST_LINE]) {
    const got = readSync(fd, FIRST, length, upTo - length, length)
    const before = length
    length += got
    end = FIRST.subarray(before, length).indexOf(10)
    if (end !== -1) end += before
    if (end !== -1 || length < upTo) break
  }
  try {
    const event = JSON.parse(FIRST.toString('utf8', 0, end === -1 ? length : end)) as {
      data?: { cwd?: unknown }
    } | null
    const cwd = event?.data?.cwd
    return typeof cwd === 'string' ? cwd : null
  } catch (cause) {
    if (cause instanceof SyntaxError) return null
    throw cause
  }
}
