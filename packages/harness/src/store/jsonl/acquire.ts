import { closeSync, openSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Failure, FailureError, foreseen, type Holder, type Lease, type Result } from '@rein/session'
import { codeOf, diskFailure } from '../disk-failure.ts'
import { badId, busy, exists, fail, missing, withoutLog } from '../failures.ts'
import { disk, syncFolder } from './disk.ts'
import type { Ground, OwnLock } from './ground.ts'
import { judgeAs, processHolder } from './holder.ts'
import { Inbox } from './inbox.ts'
import { JsonlLease } from './lease.ts'
import { LogFile } from './log-file.ts'
import { FILE_MODE, FOLDER_MODE, hadLog, isSessionId, logPath, type Place, partPath, workspaceSlug } from './names.ts'
import { claimNext, clean, inherit, type Judge, looksHighest, stillHighest } from './one-writer.ts'
import { moveToTrash } from './trash.ts'

/** Where sessions stand and how they are found. */
export interface Opening {
  readonly root: string
  readonly trash: string
  readonly now: () => number
  /** After how long without a sign of life a holder may be taken over, in milliseconds. */
  readonly silentMs: number
  readonly locate: (id: string) => Promise<Place | undefined>
}

export async function createSession(
  of: Opening,
  id: string,
  { cwd, holder }: { readonly cwd: string; readonly holder: Holder },
): Promise<Result<Lease>> {
  if (!isSessionId(id)) return fail(badId(id))
  return onDisk(`could not create session ${id}`, async () => {
    if (await isKnown(of, id)) return fail(exists(id))
    const at: Place = { folder: join(of.root, workspaceSlug(cwd)), id }
    const made = await mkdir(at.folder, { recursive: true, mode: FOLDER_MODE })
    // The first session of a workspace: its folder must survive the loss of power as its log does.
    if (made) for (const above of [of.root, dirname(of.root)]) await syncFolder(above)
    const ground = disk(at, of.now)
    const lock = await ground.createLock(1, holder, 'held')
    if (!lock) return fail(exists(id))
    const { locks, logs } = await ground.epochs()
    if (locks.length > 1 || logs.length > 0) {
      // Somebody's session of many epochs, whose first lock was removed long ago.
      await ground.removeLock(1)
      lock.close()
      return fail(exists(id))
    }
    return guarded(lock, async () => {
      await mkdir(partPath(at, 'inbox'), { recursive: true, mode: FOLDER_MODE })
      closeSync(openSync(logPath(at, 1), 'wx', FILE_MODE))
      return { ok: true, value: lease(of, { at, ground, lock }, 1) }
    })
  })
}

/** A folder that cannot be looked into is in nobody's way: what is made stands in another, or fails there. */
async function isKnown(of: Opening, id: string): Promise<boolean> {
  try {
    return (await of.locate(id)) !== undefined
  } catch (cause) {
    if (cause instanceof FailureError) return false
    throw cause
  }
}

export async function acquireSession(
  of: Opening,
  id: string,
  { holder, silentMs }: { readonly holder: Holder; readonly silentMs: number },
): Promise<Result<Lease>> {
  return onDisk(`could not open session ${id}`, async () => {
    const at = await of.locate(id)
    if (!at) return fail(missing(id))
    const ground = disk(at, of.now)
    const judge = judgeAs(holder, of.now, silentMs)
    const claim = await claimNext(ground, holder, judge)
    if (claim.kind === 'missing') return fail(withoutLog(id, await hadLog(at)))
    if (claim.kind === 'busy') return fail(busy(id, claim.by))
    const { lock } = claim
    return guarded(lock, async () => {
      const log = await inherited(ground, lock, judge)
      if (log === 'overtaken') return fail(busy(id, undefined))
      if (log === undefined) return fail(missing(id))
      if (!(await stillHighest(ground, lock))) return fail(busy(id, undefined))
      const opened = lease(of, { at, ground, lock }, log)
      await clean(ground, lock, log)
      await mkdir(partPath(at, 'inbox'), { recursive: true, mode: FOLDER_MODE })
      await new Inbox(partPath(at, 'inbox'), of.now).sweep()
      return { ok: true, value: opened }
    })
  })
}

/** `inherit`, told apart from being overtaken in the middle of it by somebody who cleared the copy away. */
async function inherited(ground: Ground, lock: OwnLock, judge: Judge): Promise<number | undefined | 'overtaken'> {
  try {
    return await inherit(ground, lock, judge)
  } catch (cause) {
    if (codeOf(cause) === undefined || (await looksHighest(ground, lock))) throw cause
    return 'overtaken'
  }
}

/** Fails `SESSION_BUSY` while somebody writes. What has no readable log is moved as it is. */
export async function putAway(of: Opening, id: string): Promise<Result<void>> {
  return onDisk<void>(`could not put session ${id} away`, async () => {
    const at = await of.locate(id)
    if (!at) return fail(missing(id))
    const self = processHolder()
    const claim = await claimNext(disk(at, of.now), self, judgeAs(self, of.now, of.silentMs))
    if (claim.kind === 'busy') return fail(busy(id, claim.by))
    try {
      await moveToTrash(at, of.trash)
      return { ok: true, value: undefined }
    } finally {
      if (claim.kind === 'claimed') {
        claim.lock.markReleased()
        claim.lock.close()
      }
    }
  })
}

function lease(
  of: Opening,
  on: { readonly at: Place; readonly ground: Ground; readonly lock: OwnLock },
  log: number,
): Lease {
  const file = new LogFile(logPath(on.at, log))
  return new JsonlLease({ ...on, log, file, inbox: new Inbox(partPath(on.at, 'inbox'), of.now) })
}

/** A claim that leads to no lease is given back at once, so that nobody has to wait for its silence. */
async function guarded(lock: OwnLock, work: () => Promise<Result<Lease>>): Promise<Result<Lease>> {
  let done = false
  try {
    const result = await work()
    done = result.ok
    return result
  } finally {
    if (!done) {
      lock.markReleased()
      lock.close()
    }
  }
}

/** What the system refuses, and what was told as a failure already, is a value; anything else is a bug and goes on up. */
export async function onDisk<T>(doing: string, work: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await work()
  } catch (cause) {
    if (codeOf(cause) === undefined) return foreseen(cause)
    const failure: Failure = diskFailure('FILE_ERROR', doing, cause)
    return fail(failure)
  }
}
