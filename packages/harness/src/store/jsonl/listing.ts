import { readdirSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { FailureError, type KnownEntries, type SessionEntry } from '@rein/session'
import { codeOf, diskFailure } from '../disk-failure.ts'
import { broken, entryOf, type Top } from './entry.ts'
import { type Place, parseName, parsePart, partPath, readEpochs } from './names.ts'
import type { Judge } from './one-writer.ts'

/** Sessions looked at before the event loop gets a turn: about 5 ms of work. */
const AT_A_TIME = 256

/** The workspace folders under the root. @throws FailureError `FILE_ERROR` when what stands there cannot be listed. */
export async function workspaces(root: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(root, { withFileTypes: true })
    return entries
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map((entry) => join(root, entry.name))
  } catch (cause) {
    const code = codeOf(cause)
    if (code === 'ENOENT') return []
    if (code === undefined) throw cause
    throw new FailureError(diskFailure('FILE_ERROR', 'could not list the sessions', cause), { cause })
  }
}

/**
 * Where a session is, whichever workspace it belongs to.
 * @throws FailureError `FILE_ERROR` when it was not found and may be in a folder that cannot be looked into.
 */
export async function locateSession(root: string, id: string): Promise<Place | undefined> {
  const folders = await workspaces(root)
  let trouble: unknown
  for (const folder of folders) {
    try {
      if (statSync(partPath({ folder, id }, 'inbox'), { throwIfNoEntry: false })) return { folder, id }
    } catch (cause) {
      if (codeOf(cause) === undefined) throw cause
      trouble = cause
    }
  }
  // A log that was copied here by hand has no inbox yet.
  for (const folder of folders) {
    if (namesIn(folder)?.some((name) => belongsTo(name, id))) return { folder, id }
  }
  if (trouble === undefined) return undefined
  throw new FailureError(diskFailure('FILE_ERROR', `could not look for session ${id}`, trouble), { cause: trouble })
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
  readonly known?: KnownEntries | undefined
  /** Told of each folder which sessions were found there, and the highest epochs of their files. */
  readonly found?: (folder: string, sessions: ReadonlyMap<string, Top>) => void
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
    const sessions = highest(names)
    listing.found?.(folder, sessions)
    for (const [id, top] of sessions) {
      entries.push(entryOf({ folder, id }, top, listing))
      if (++looked % AT_A_TIME === 0) await setImmediate()
    }
  }
  return entries.sort((a, b) => b.changed - a.changed || (a.id < b.id ? -1 : 1))
}

function highest(names: readonly string[]): ReadonlyMap<string, Top> {
  const sessions = new Map<string, Top>()
  // The files of one session mostly stand together: its id is looked at once.
  let lead = '.'
  let top: Top | undefined
  for (const name of names) {
    if (!name.startsWith(lead)) {
      const id = parseName(name)?.id
      if (id === undefined) continue
      lead = `${id}.`
      top = sessions.get(id)
    }
    if (name.endsWith('.inbox')) continue
    const part = parsePart(name.slice(lead.length))
    if (part.kind === 'other') continue
    if (!top) {
      top = { log: 0, lock: 0 }
      sessions.set(lead.slice(0, -1), top)
    }
    if (part.epoch > top[part.kind]) top[part.kind] = part.epoch
  }
  return sessions
}
