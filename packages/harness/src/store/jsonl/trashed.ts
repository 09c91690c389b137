import type { Dirent } from 'node:fs'
import { lstat, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { FailureError, type Result, type Trashed } from '@rein/session'
import { codeOf, diskFailure, isAbsent, noneWhenAbsent } from '../disk-failure.ts'
import { exists, fail, notInTrash } from '../failures.ts'
import { removeEmpty, syncFolder } from './disk.ts'
import { FOLDER_MODE, type Part, parseName } from './names.ts'

/** Where sessions stand and where they were put away. */
export interface TrashPlaces {
  readonly root: string
  readonly trash: string
}

/** One folder of the trash: `<trash>/<workspace>/<id>/`, with a number where that name was taken. */
interface Folder {
  readonly name: string
  readonly workspace: string
  readonly path: string
  readonly id: string
  /** Its files that belong to the session, by their own names. */
  readonly names: readonly string[]
}

export async function listTrash(trash: string): Promise<readonly Trashed[]> {
  const found: Trashed[] = []
  for (const { name, id, path } of await folders(trash)) {
    try {
      // A folder's time is that of the last file that was moved into it.
      found.push({ name, id, at: (await stat(path)).mtimeMs, bytes: await bytesIn(path) })
    } catch (cause) {
      // Restored or deleted by somebody in the meantime.
      if (!isAbsent(cause)) throw cause
    }
  }
  return found.sort((a, b) => b.at - a.at || (a.name < b.name ? -1 : 1))
}

/**
 * Move a session back to its workspace. Locks go first, so that nobody becomes its writer or makes another of its id in
 * the meantime, and the highest log goes before lower ones, so that nobody ever reads an older one. What was broken off
 * goes on when it is called again.
 */
export async function restoreFromTrash(
  { root, trash }: TrashPlaces,
  name: string,
  inUse: (id: string) => Promise<boolean>,
): Promise<Result<string>> {
  const from = (await folders(trash)).find((folder) => folder.name === name)
  if (!from) return fail(notInTrash(name))
  if (await inUse(from.id)) return fail(exists(from.id))
  const to = join(root, from.workspace)
  await mkdir(to, { recursive: true, mode: FOLDER_MODE })
  const there = new Set(await readdir(to))
  if (from.names.some((each) => there.has(each))) return fail(exists(from.id))
  for (const each of [...from.names].sort(locksFirst)) await rename(join(from.path, each), join(to, each))
  await syncFolder(to)
  await removeEmpty([from.path, join(trash, from.workspace)])
  return { ok: true, value: from.id }
}

export async function deleteFromTrash(
  trash: string,
  names: readonly string[] | undefined,
): Promise<{ readonly removed: number; readonly bytes: number }> {
  const wanted = names && new Set(names)
  const deleted = { removed: 0, bytes: 0 }
  for (const { name, path, workspace } of await folders(trash)) {
    if (wanted && !wanted.has(name)) continue
    try {
      const bytes = await bytesIn(path)
      await rm(path, { recursive: true, force: true })
      deleted.removed++
      deleted.bytes += bytes
      await removeEmpty([join(trash, workspace)])
    } catch (cause) {
      if (codeOf(cause) === undefined) throw cause
      throw new FailureError(diskFailure('FILE_ERROR', `could not delete ${path}`, cause), { cause })
    }
  }
  return deleted
}

async function folders(trash: string): Promise<readonly Folder[]> {
  const found: Folder[] = []
  for (const workspace of await workspacesOf(trash)) {
    if (!workspace.isDirectory()) continue
    for (const entry of await entriesOf(join(trash, workspace.name))) {
      if (!entry.isDirectory()) continue
      const path = join(trash, workspace.name, entry.name)
      const names = (await entriesOf(path)).map((each) => each.name)
      const ids = names.flatMap((each) => parseName(each)?.id ?? [])
      const id = ids.find((each) => entry.name === each || entry.name.startsWith(`${each}-`))
      if (id === undefined) continue
      const own = names.filter((each) => parseName(each)?.id === id)
      found.push({ name: `${workspace.name}/${entry.name}`, workspace: workspace.name, path, id, names: own })
    }
  }
  return found
}

/** @throws FailureError `FILE_ERROR` when the trash is there and cannot be listed. */
async function workspacesOf(trash: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(trash, { withFileTypes: true })
  } catch (cause) {
    const code = codeOf(cause)
    if (code === 'ENOENT') return []
    if (code === undefined) throw cause
    throw new FailureError(diskFailure('FILE_ERROR', 'could not list the trash', cause), { cause })
  }
}

const entriesOf = (folder: string): Promise<readonly Dirent[]> =>
  noneWhenAbsent(readdir(folder, { withFileTypes: true }))

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
    if (!entry.isDirectory()) bytes += (await lstat(join(entry.parentPath, entry.name))).size
  return bytes
}

function locksFirst(a: string, b: string): number {
  const rank = (part: Part | undefined): number => ['lock', 'other', 'log'].indexOf(part?.kind ?? 'other')
  const [one, two] = [parseName(a)?.part, parseName(b)?.part]
  const epoch = (part: Part | undefined): number => (part?.kind === 'log' ? part.epoch : 0)
  return rank(one) - rank(two) || epoch(two) - epoch(one) || (a < b ? -1 : 1)
}
