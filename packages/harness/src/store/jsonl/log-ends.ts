import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import type { LogEnds, Result } from '@rein/session'
import { codeOf, diskFailure, isAbsent } from '../disk-failure.ts'
import { fail, withoutLog } from '../failures.ts'
import { lockIdentityAt } from './disk.ts'
import type { Top } from './listing.ts'
import { hadLog, lockPath, logPath, type Place, readEpochs } from './names.ts'

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
    if (known) return { ok: true, value: known }
    for (let round = 0; round < 100; round++) {
      const epoch = (await readEpochs(at)).logs.at(-1)
      if (epoch === undefined) break
      const ends = endsOf(logPath(at, epoch), most)
      // Else it was replaced by a higher one between the look and the open.
      if (ends) return { ok: true, value: ends }
    }
    return fail(withoutLog(at.id, await hadLog(at)))
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
    return { head: part(fd, 0, first), tail: part(fd, from, stat.size), bytes: stat.size }
  } finally {
    closeSync(fd)
  }
}

function part(fd: number, from: number, to: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(to - from)
  let read = 0
  while (read < bytes.length) {
    const got = readSync(fd, bytes, read, bytes.length - read, from + read)
    if (got === 0) break
    read += got
  }
  return bytes.subarray(0, read)
}
