import { mkdir, readdir, rename } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { noneWhenAbsent } from '../disk-failure.ts'
import { syncFolder } from './disk.ts'
import { FOLDER_MODE, type Place, parseName } from './names.ts'

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
  await syncFolder(target)
  await syncFolder(at.folder)
  return target
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
