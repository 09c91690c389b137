import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import type { LogEnds, Result } from '@rein/session'
import { codeOf, diskFailure, isAbsent } from '../disk-failure.ts'
import { fail, withoutLog } from '../failures.ts'
import { lockIdentityAt } from './disk.ts'
import type { Top } from './entry.ts'
import { highestLog } from './highest-log.ts'
import { hadLog, lockPath, logPath, type Place } from './names.ts'
import { readRange } from './tail.ts'

export interface Most {
  readonly head: number
  readonly tail: number
}

/**
 * Two reads, however long the log is.
 * @param top the epochs an earlier look found; where they still hold the folder is not read again.
 */
export async function logEnds(at: Place, most: Most, top?: Top): Promise<Result<LogEnds>> {
  try {
    const known = top && stillTop(at, top) ? endsOf(logPath(at, top.log), most) : undefined
    const ends = known ?? (await highestLog(at, (path) => endsOf(path, most)))
    return ends ? { ok: true, value: ends } : fail(withoutLog(at.id, await hadLog(at)))
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause
    return fail(diskFailure('FILE_ERROR', `could not read session ${at.id}`, cause))
  }
}

/** Nobody claimed since: then nobody published either. */
const stillTop = (at: Place, { log, lock }: Top): boolean =>
  log > 0 &&
  lock >= log &&
  lockIdentityAt(lockPath(at, lock)) !== undefined &&
  lockIdentityAt(lockPath(at, lock + 1)) === undefined &&
  (lock === log || lockIdentityAt(logPath(at, lock)) === undefined)

/** @returns undefined when there is no such file. */
function endsOf(path: string, { head, tail }: Most): LogEnds | undefined {
  let fd: number
  try {
    // Without waiting: a pipe in the place of a log must not hang the reader.
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (cause) {
    if (isAbsent(cause)) return undefined
    throw cause
  }
  try {
    const stat = fstatSync(fd)
    if (!stat.isFile()) throw Object.assign(new Error('what stands there is not a file'), { code: 'EISDIR' })
    const first = Math.min(head, stat.size)
    const from = Math.max(first, stat.size - tail)
    return { head: readRange(fd, 0, first), tail: readRange(fd, from, stat.size), bytes: stat.size }
  } finally {
    closeSync(fd)
  }
}
