import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync } from 'node:fs'
import type { KnownEntries, SessionEntry } from '@rein/session'
import { codeOf } from '../disk-failure.ts'
import { openLock } from './disk.ts'
import { lockPath, logPath, type Place } from './names.ts'
import type { Judge, Verdict } from './one-writer.ts'

/** The first event names the directory early; a longer first line is read up to here and no further. */
const FIRST_LINE = 65_536
/** Reused: filled and decoded without giving the event loop a turn. */
const FIRST = Buffer.allocUnsafe(FIRST_LINE)

/** The highest epochs of a session's files; 0: there is none. */
export interface Top {
  log: number
  lock: number
}

/**
 * What a list says of one session: of a log that is known one look, of any other its first line.
 *
 * A holder that is gone, by its own word or proven dead, never writes again, and its epoch is never claimed a second
 * time: as long as that epoch is the highest, nobody needs to look at its lock again.
 */
export function entryOf(
  at: Place,
  top: Top,
  { judge, known }: { readonly judge: Judge; readonly known?: KnownEntries | undefined },
): SessionEntry {
  if (top.log === 0) return broken(at.id, lockPath(at, top.lock))
  const path = logPath(at, top.log)
  try {
    const before = known?.get(at.id)
    if (before && before.state !== 'broken' && isSame(path, before)) return again(before, at, { top, judge })
    // Without waiting: a pipe in the place of a log must not hang the list.
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const stat = fstatSync(fd)
      if (!stat.isFile()) return broken(at.id, path)
      const seen = { id: at.id, bytes: stat.size, changed: stat.mtimeMs, cwd: directoryIn(fd) }
      return judged(seen, top.lock, verdictOn(at, top.lock, judge))
    } finally {
      closeSync(fd)
    }
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause
    return broken(at.id, path)
  }
}

/** The entry itself where nothing of it changed: a list makes thousands. */
function again(
  before: SessionEntry,
  at: Place,
  { top, judge }: { readonly top: Top; readonly judge: Judge },
): SessionEntry {
  // An empty log tells nothing apart from the log of another session of this id.
  if (before.state === 'free' && before.gone === top.lock && before.bytes > 0) return before
  const { id, bytes, changed, cwd } = before
  const now = judged({ id, bytes, changed, cwd }, top.lock, verdictOn(at, top.lock, judge))
  return now.state === before.state && now.gone === before.gone ? before : now
}

function judged(seen: Omit<SessionEntry, 'state' | 'gone'>, epoch: number, verdict: Verdict): SessionEntry {
  if (verdict === 'gone' && epoch > 0) return { ...seen, state: 'free', gone: epoch }
  return { ...seen, state: verdict === 'alive' ? 'held' : 'free' }
}

function isSame(path: string, before: SessionEntry): boolean {
  const now = lstatSync(path)
  return now.isFile() && now.size === before.bytes && now.mtimeMs === before.changed
}

export function broken(id: string, path: string): SessionEntry {
  try {
    return { id, bytes: 0, changed: lstatSync(path).mtimeMs, cwd: null, state: 'broken' }
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause
    return { id, bytes: 0, changed: 0, cwd: null, state: 'broken' }
  }
}

/** Of the holder of this epoch; `gone` when there is none. */
function verdictOn(at: Place, epoch: number, judge: Judge): Verdict {
  const path = lockPath(at, epoch)
  const stat = epoch === 0 ? undefined : statSync(path, { throwIfNoEntry: false })
  if (!stat) return epoch === 0 ? 'gone' : 'silent'
  const unread = { epoch, identity: '', holder: undefined, released: false, close() {} }
  const byTime = judge({ ...unread, changed: stat.mtimeMs })
  if (byTime !== 'alive' && (stat.size === 0 || !stat.isFile())) return byTime
  try {
    const lock = openLock(path, epoch)
    if (!lock) return 'silent'
    lock.close()
    return judge(lock)
  } catch (cause) {
    // Nobody lives, by its time: what else it says is not needed.
    if (codeOf(cause) === undefined || byTime === 'alive') throw cause
    return byTime
  }
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
