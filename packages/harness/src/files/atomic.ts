import { constants } from 'node:fs'
import { access, type FileHandle, link, mkdir, open, readlink, rename, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Result } from '@rein/session'
import { errnoOf, failed, fileTrouble, fine } from './trouble.ts'
import type { Version } from './version.ts'

let temporaries = 0

/**
 * Replace or create one file so that a reader or a crash sees the old bytes or the new ones, never a mixture.
 * Mode and, where permitted, owner are kept; a hard link gets its own inode, so its other names keep the old bytes.
 * @param path absolute and resolved. The directory it names is held open and checked, so that a link swapped in
 *   meanwhile is not followed (where `/proc` is there; elsewhere this is not checked).
 * @param expected the version this replaces, or 'absent'; anything else found there fails `STALE_FILE`.
 */
export async function writeAtomic(
  path: string,
  bytes: Uint8Array,
  expected: Version | 'absent',
): Promise<Result<void>> {
  let folder: FileHandle | undefined
  try {
    if (expected === 'absent') {
      if (!(await makeFolder(dirname(path)))) return failed('NOT_FOUND', `${path}: a part of this path is a file.`)
    } else await access(path, constants.W_OK)
    folder = await open(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY)
    const base = await steadyName(folder, dirname(path))
    if (base === undefined) return failed('STALE_FILE', `${path}: its directory was replaced meanwhile.`)
    return await replace({ folder, base, name: basename(path), path }, bytes, expected)
  } catch (error) {
    return { ok: false, failure: fileTrouble(error, path) }
  } finally {
    await folder?.close()
  }
}

/** @returns false when a file is in the way. */
async function makeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path, { recursive: true })
    return true
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error
    return false
  }
}

interface Place {
  readonly folder: FileHandle
  /** A name of the open directory that no later rename can lead elsewhere. */
  readonly base: string
  readonly name: string
  readonly path: string
}

async function replace(place: Place, bytes: Uint8Array, expected: Version | 'absent'): Promise<Result<void>> {
  const target = join(place.base, place.name)
  const temporary = await writeTemporary(place.base, bytes, expected === 'absent' ? undefined : target)
  let moved = false
  try {
    if (expected === 'absent') await appear(temporary, target)
    else {
      if (!(await isStill(target, expected)))
        return failed('STALE_FILE', `${place.path} changed while it was being written.`)
      await rename(temporary, target)
    }
    moved = expected !== 'absent'
  } finally {
    if (!moved) await unlink(temporary).catch(ignoreMissing)
  }
  await place.folder.sync()
  return fine(undefined)
}

/** Give the new file its name only if nobody has it: `link` refuses where `rename` would overwrite. */
async function appear(temporary: string, target: string): Promise<void> {
  try {
    await link(temporary, target)
  } catch (error) {
    // Some file systems have no hard links: an exclusive create holds the name instead.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(errnoOf(error) ?? '')) throw error
    await (await open(target, 'wx')).close()
    await rename(temporary, target)
  }
}

async function writeTemporary(base: string, bytes: Uint8Array, like: string | undefined): Promise<string> {
  for (;;) {
    const path = join(base, `.rein-${process.pid}-${temporaries++}.tmp`)
    const handle = await open(path, 'wx').catch((error: unknown) => {
      if (errnoOf(error) !== 'EEXIST') throw error
    })
    if (handle === undefined) continue
    try {
      await handle.writeFile(bytes)
      if (like !== undefined) await takeAfter(handle, like)
      await handle.sync()
      return path
    } catch (error) {
      await unlink(path).catch(ignoreMissing)
      throw error
    } finally {
      await handle.close()
    }
  }
}

/** Owner first: changing it clears the set-id bits of the mode. */
async function takeAfter(handle: FileHandle, like: string): Promise<void> {
  const [old, own] = await Promise.all([stat(like), handle.stat()])
  if (old.uid !== own.uid || old.gid !== own.gid)
    await handle.chown(old.uid, old.gid).catch((error: unknown) => {
      if (errnoOf(error) !== 'EPERM') throw error
    })
  await handle.chmod(old.mode & 0o7777)
}

async function isStill(path: string, version: Version): Promise<boolean> {
  const now = await stat(path, { bigint: true }).catch((error: unknown) => {
    if (errnoOf(error) !== 'ENOENT') throw error
  })
  return now !== undefined && now.ino === version.inode && now.mtimeNs === version.changed && now.size === version.size
}

async function steadyName(folder: FileHandle, expected: string): Promise<string | undefined> {
  if (process.platform !== 'linux') return expected
  const name = `/proc/self/fd/${folder.fd}`
  const actual = await readlink(name).catch((error: unknown) => {
    if (errnoOf(error) !== 'ENOENT') throw error
  })
  if (actual === undefined) return expected
  return actual === expected ? name : undefined
}

function ignoreMissing(error: unknown): void {
  if (errnoOf(error) !== 'ENOENT') throw error
}
