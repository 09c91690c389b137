import { type Dirent, existsSync } from 'node:fs'
import { mkdir, readdir, rename } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Holder } from '@rein/session'
import { codeOf, isAbsent } from '../disk-failure.ts'
import { openLock, syncFolder } from './disk.ts'
import { judgeAs, processHolder } from './holder.ts'
import { workspaces } from './listing.ts'
import { FOLDER_MODE, lockPath, type Place, parseName } from './names.ts'
import type { Judge, Verdict } from './one-writer.ts'

/** One lock: a claim of the right to write. The highest epoch is the one that counts. */
export interface LockPart {
  readonly epoch: number
  /** undefined where its claimant left no readable name. */
  readonly holder: Holder | undefined
  readonly released: boolean
  /** `gone` without `released`: its process died, or was ended, while it held the session. */
  readonly state: Verdict
}

/** What lies in a sessions folder under one id, whether or not it makes a session. */
export interface SessionParts {
  /** The workspace folder, absolute. */
  readonly folder: string
  readonly id: string
  /** Epochs of its logs, ascending: readers take the highest. */
  readonly logs: readonly number[]
  /** Ascending by epoch. */
  readonly locks: readonly LockPart[]
  /** Names of copies that were never published: the work of somebody who died over it, or is at it now. */
  readonly copies: readonly string[]
  /** Names of the folders and files that belong to it besides. */
  readonly others: readonly string[]
  /** Whether something besides its log says that it was written to. One that is empty then lost what it held. */
  readonly written: boolean
  /** Whether a folder or a device stands where the log that counts should. */
  readonly misplaced: boolean
}

interface Names {
  readonly logs: number[]
  readonly locks: number[]
  readonly copies: string[]
  readonly others: string[]
  /** Epochs of logs that are no files. */
  readonly misplaced: Set<number>
}

/**
 * Everything under `<home>/sessions/`, a session an entry, in no order. Reads names and locks only; a workspace folder
 * that cannot be listed is passed over.
 * @throws FailureError `FILE_ERROR` when `sessions/` itself cannot be listed.
 */
export async function sessionParts(home: string, now: () => number): Promise<readonly SessionParts[]> {
  const judge = judgeAs(processHolder(), now, 5000)
  const found: SessionParts[] = []
  for (const folder of await workspaces(join(home, 'sessions'))) {
    for (const [id, { logs, locks, copies, others, misplaced }] of await namesIn(folder)) {
      const seen = locks.sort(ascending).flatMap((epoch) => lockPart({ folder, id }, epoch, judge))
      const written = isWritten(id, locks, others)
      logs.sort(ascending)
      const top = logs.at(-1)
      const isMisplaced = top !== undefined && misplaced.has(top)
      found.push({ folder, id, logs, locks: seen, copies, others, written, misplaced: isMisplaced })
    }
  }
  return found
}

async function namesIn(folder: string): Promise<ReadonlyMap<string, Names>> {
  const sessions = new Map<string, Names>()
  for (const entry of await entriesIn(folder)) {
    const { name } = entry
    const parsed = parseName(name)
    if (!parsed) continue
    const { id, part } = parsed
    const names = sessions.get(id) ?? { logs: [], locks: [], copies: [], others: [], misplaced: new Set() }
    sessions.set(id, names)
    if (part.kind === 'other') (name.endsWith('.copy') ? names.copies : names.others).push(name)
    else names[part.kind === 'log' ? 'logs' : 'locks'].push(part.epoch)
    if (part.kind === 'log' && !entry.isFile() && !entry.isSymbolicLink()) names.misplaced.add(part.epoch)
  }
  return sessions
}

async function entriesIn(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause
    return []
  }
}

/** None when the lock went away meanwhile. One that may not be read says nothing: its claimant may live. */
function lockPart(at: Place, epoch: number, judge: Judge): readonly LockPart[] {
  try {
    const lock = openLock(lockPath(at, epoch), epoch)
    lock?.close()
    return lock ? [{ epoch, holder: lock.holder, released: lock.released, state: judge(lock) }] : []
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause
    return [{ epoch, holder: undefined, released: false, state: 'silent' }]
  }
}

/** It was taken a second time, or something was kept with it: both only by a writer. */
const isWritten = (id: string, locks: readonly number[], others: readonly string[]): boolean =>
  (locks.at(-1) ?? 0) > 1 || ['blobs', 'spill', 'aside'].some((part) => others.includes(`${id}.${part}`))

const ascending = (a: number, b: number): number => a - b

/**
 * Move what lies under an id and belongs to nobody to a folder of its own in the trash; nothing is deleted. A name that
 * is gone meanwhile is passed over.
 * @returns that folder.
 */
export async function moveLeftovers(
  home: string,
  { folder, id, names }: { readonly folder: string; readonly id: string; readonly names: readonly string[] },
): Promise<string> {
  const base = join(home, 'trash', basename(folder), `${id}-leftovers`)
  let target = base
  for (let number = 2; existsSync(target); number++) target = `${base}-${number}`
  await mkdir(target, { recursive: true, mode: FOLDER_MODE })
  for (const name of names) {
    try {
      await rename(join(folder, name), join(target, name))
    } catch (cause) {
      if (!isAbsent(cause)) throw cause
    }
  }
  await syncFolder(target)
  await syncFolder(folder)
  return target
}
