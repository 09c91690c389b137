import { cp, lstat, mkdtemp, readdir, readlink, realpath, rm, symlink, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { isAbsolute, join, relative, sep } from 'node:path'
import type { Failure, Result } from '@rein/session'

/** Largest directory that is copied: bytes of files, and how many entries. */
export const scratchLimits = { bytes: 512 * 1024 * 1024, entries: 50_000 } as const

/** A directory of its own with the same content; it goes when it is disposed of. */
export interface ScratchCopy extends AsyncDisposable {
  /** Absolute, links resolved. */
  readonly folder: string
  readonly bytes: number
  readonly entries: number
}

interface Measured {
  bytes: number
  entries: number
  /** Links by absolute path into the directory itself, as seen from it: they would lead out of the copy. */
  readonly links: { readonly path: string; readonly to: string }[]
}

/**
 * Copy a directory as it is now. Nothing of it is written to.
 * Fails `USAGE` when it is too large, `FILE_ERROR` when it cannot be read or copied.
 */
export async function scratchCopy(
  of: string,
  limits: { readonly bytes: number; readonly entries: number } = scratchLimits,
): Promise<Result<ScratchCopy>> {
  let folder: string | undefined
  try {
    const measured: Measured = { bytes: 0, entries: 0, links: [] }
    if (!(await measure(of, { root: of, limits, measured }))) return { ok: false, failure: tooLarge(of, limits) }
    folder = await realpath(await mkdtemp(join(tmpdir(), 'rein-replay-')))
    await cp(of, folder, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true, filter: isCopied })
    for (const { path, to } of measured.links) await relink(join(folder, path), join(folder, to))
    const gone = folder
    const dispose = () => rm(gone, { recursive: true, force: true })
    const { bytes, entries } = measured
    return { ok: true, value: { folder, bytes, entries, [Symbol.asyncDispose]: dispose } }
  } catch (error) {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
    const message = `the workspace ${of} cannot be copied: ${error instanceof Error ? error.message : String(error)}`
    return { ok: false, failure: { code: 'FILE_ERROR', message, next: 'Replay without --tools live.' } }
  }
}

/** @returns false as soon as it is too large. */
async function measure(
  folder: string,
  at: { root: string; limits: { bytes: number; entries: number }; measured: Measured },
): Promise<boolean> {
  const { root, limits, measured } = at
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    measured.entries++
    if (entry.isFile()) measured.bytes += (await lstat(path)).size
    if (measured.entries > limits.entries || measured.bytes > limits.bytes) return false
    if (entry.isSymbolicLink()) {
      const to = await readlink(path)
      if (isAbsolute(to) && (to === root || to.startsWith(root + sep)))
        measured.links.push({ path: relative(root, path), to: relative(root, to) })
    }
    if (entry.isDirectory() && !(await measure(path, at))) return false
  }
  return true
}

/** Files, directories and links; a socket or a pipe has no content. */
async function isCopied(path: string): Promise<boolean> {
  const entry = await lstat(path)
  return entry.isFile() || entry.isDirectory() || entry.isSymbolicLink()
}

async function relink(path: string, to: string): Promise<void> {
  await unlink(path)
  await symlink(to, path)
}

const tooLarge = (of: string, { bytes, entries }: { bytes: number; entries: number }): Failure => ({
  code: 'USAGE',
  message: `${of} is too large to be copied: more than ${Math.round(bytes / 1024 / 1024)} MB or ${entries} entries.`,
  next: 'Replay without --tools live; results then come from the log.',
})
