import { mkdir, readdir, rename } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isAbsent, noneWhenAbsent } from '../disk-failure.ts'
import { removeEmpty, syncFolder } from './disk.ts'
import { FOLDER_MODE, type Place, parseName, partPath } from './names.ts'

/**
 * Move everything of a session to `<trash>/<workspace>/<id>/`, and nothing is deleted. What a broken-off move left
 * behind follows it; the same id put away before is never overwritten: the folder then gets a number.
 * @returns the folder it lies in now.
 */
export async function moveToTrash(at: Place, trash: string): Promise<string> {
  const names = (await readdir(at.folder)).filter((name) => parseName(name)?.id === at.id).sort(logsLast)
  const home = join(trash, basename(at.folder))
  const target = await freeFolder(join(home, at.id), names)
  await mkdir(target, { recursive: true, mode: FOLDER_MODE })
  for (const name of names) await rename(join(at.folder, name), join(target, name))
  await latePosts(at, target)
  await syncFolder(target)
  await syncFolder(at.folder)
  return target
}

/**
 * Whoever posts meanwhile makes the inbox anew. Once the locks are gone a poster finds that out and takes back what it
 * wrote; what it is about to name it still needs.
 */
async function latePosts(at: Place, target: string): Promise<void> {
  const [from, to] = [partPath(at, 'inbox'), partPath({ ...at, folder: target }, 'inbox')]
  const names = await noneWhenAbsent(readdir(from))
  for (const name of names.filter((each) => !each.startsWith('.'))) {
    await mkdir(to, { recursive: true, mode: FOLDER_MODE })
    await orAbsent(rename(join(from, name), join(to, name)))
  }
  await removeEmpty([from])
}

/** Locks go last: until then no other process can begin to write. */
function logsLast(a: string, b: string): number {
  const rank = (name: string): number => ['other', 'log', 'lock'].indexOf(parseName(name)?.part.kind ?? 'other')
  return rank(a) - rank(b) || (a < b ? -1 : 1)
}

async function freeFolder(base: string, names: readonly string[]): Promise<string> {
  for (let number = 1; ; number++) {
    const folder = number === 1 ? base : `${base}-${number}`
    const there = new Set(await noneWhenAbsent(readdir(folder)))
    if (!names.some((name) => there.has(name))) return folder
  }
}

async function orAbsent(work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (cause) {
    if (!isAbsent(cause)) throw cause
  }
}
