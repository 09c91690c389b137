import { existsSync } from 'node:fs'
import { mkdir, readdir, rename } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Holder } from '@rein/session'
import { isAbsent } from '../disk-failure.ts'
import { openLock, syncFolder } from './disk.ts'
import { judgeAs, processHolder } from './holder.ts'
import { workspaces } from './listing.ts'
import { FOLDER_MODE, lockPath, parseName } from './names.ts'
import type { Verdict } from './one-writer.ts'

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
}

/** Everything under `<home>/sessions/`, a session an entry, in no order. Reads names and locks only. */
export async function sessionParts(home: string, now: () => number): Promise<readonly SessionParts[]> {
  const judge = judgeAs(processHolder(), now, 5000)
  const found: SessionParts[] = []
  for (const folder of await workspaces(join(home, 'sessions'))) {
    const sessions = new Map<string, { logs: number[]; locks: number[]; copies: string[]; others: string[] }>()
    for (const name of await readdir(folder)) {
      const parsed = parseName(name)
      if (!parsed) continue
      const parts = sessions.get(parsed.id) ?? { logs: [], locks: [], copies: [], others: [] }
      sessions.set(parsed.id, parts)
      if (parsed.part.kind === 'other') (name.endsWith('.copy') ? parts.copies : parts.others).push(name)
      else parts[parsed.part.kind === 'log' ? 'logs' : 'locks'].push(parsed.part.epoch)
    }
    for (const [id, { logs, locks, copies, others }] of sessions) {
      const seen = locks.sort(ascending).flatMap((epoch): LockPart[] => {
        const lock = openLock(lockPath({ folder, id }, epoch), epoch)
        lock?.close()
        return lock ? [{ epoch, holder: lock.holder, released: lock.released, state: judge(lock) }] : []
      })
      found.push({
        folder,
        id,
        logs: logs.sort(ascending),
        locks: seen,
        copies,
        others,
        written: isWritten(id, locks, others),
      })
    }
  }
  return found
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
