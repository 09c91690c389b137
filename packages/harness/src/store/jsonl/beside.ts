import { randomUUID } from 'node:crypto'
import { readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Amendment, type Beside, type BesidePart, FailureError } from '@rein/session'
import { codeOf, diskFailure, noneWhenAbsent } from '../disk-failure.ts'
import { syncFolder } from './disk.ts'
import { writeBytes } from './log-file.ts'
import { type Place, partPath } from './names.ts'

const folders = { aside: 'aside', blob: 'blobs', post: 'inbox' } as const

/** What lies beside a log, a file a piece. @throws FailureError `FILE_ERROR` when the disk refuses. */
export async function* filesBeside(at: Place, part: BesidePart): AsyncGenerator<Beside> {
  const folder = partPath(at, folders[part])
  try {
    for (const name of await namesIn(folder)) {
      const bytes = await readFile(join(folder, name))
      // An empty file of the inbox is what a settled item left.
      if (part !== 'post' || bytes.length > 0) yield { part, name, bytes }
    }
  } catch (cause) {
    if (cause instanceof FailureError || codeOf(cause) === undefined) throw cause
    const doing = `could not read what belongs to session ${at.id}`
    throw new FailureError(diskFailure('FILE_ERROR', doing, cause), { cause })
  }
}

/** Each is whole or as it was. */
export async function amendFiles(at: Place, pieces: readonly Amendment[]): Promise<void> {
  for (const part of ['aside', 'blob', 'post'] as const) {
    const folder = partPath(at, folders[part])
    const there = new Set(await namesIn(folder))
    const changed = pieces.filter((piece) => piece.part === part && there.has(piece.name))
    for (const { name, bytes } of changed) {
      if (bytes === null) await rm(join(folder, name), { force: true })
      else await replace(folder, name, bytes)
    }
    if (changed.length > 0) await syncFolder(folder)
  }
}

async function replace(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  const hidden = join(folder, `.${randomUUID()}`)
  try {
    await writeBytes(hidden, bytes, 'wx')
    await rename(hidden, join(folder, name))
  } finally {
    await rm(hidden, { force: true })
  }
}

/** Of regular files: a link could lead anywhere, and what is hidden is half-written. */
async function namesIn(folder: string): Promise<readonly string[]> {
  const found = await noneWhenAbsent(readdir(folder, { withFileTypes: true }))
  return found.flatMap((entry) => (entry.isFile() && !entry.name.startsWith('.') ? [entry.name] : [])).sort()
}
