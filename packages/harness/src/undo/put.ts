import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  linkSync,
  openSync,
  readlinkSync,
  renameSync,
  type Stats,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { errnoOf, unlessRefused } from '../files/trouble.ts'
import { pathOf } from './byte-name.ts'
import type { Entry } from './tree.ts'

/**
 * Make a file or link under a name nobody has. Set-user-id and set-group-id are never given back to a file.
 * @param what `like`: the file whose place it takes, and whose owner and group it gets as far as the system lets it.
 */
export function make(
  path: Buffer,
  { to, bytes, like }: { readonly to: Entry; readonly bytes: Buffer | undefined; readonly like: Stats | undefined },
): void {
  if (to.kind === 'link') symlinkSync(pathOf(to.target), path)
  if (to.kind !== 'file' || !bytes) return
  const file = openSync(path, 'wx', 0o600)
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
    const own = fstatSync(file)
    if (like?.isFile() && (like.uid !== own.uid || like.gid !== own.gid))
      unlessRefused(() => fchownSync(file, like.uid, like.gid), undefined)
    fchmodSync(file, to.mode)
  } catch (error) {
    unlinkSync(path)
    throw error
  } finally {
    closeSync(file)
  }
}

/** Give it its name only if nobody has it, where a rename would overwrite. @returns false when somebody has. */
export function appear(temporary: Buffer, target: Buffer): boolean {
  try {
    const link = unlessRefused(() => readlinkSync(temporary), undefined)
    // A hard link to a link is one to what it leads to on some systems.
    if (link !== undefined) symlinkSync(readlinkSync(temporary, { encoding: 'buffer' }), target)
    else if (!hardLinked(temporary, target)) {
      // An exclusive create holds the name instead.
      closeSync(openSync(target, 'wx', 0o600))
      renameSync(temporary, target)
      return true
    }
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false
    throw error
  }
  unlinkSync(temporary)
  return true
}

const withoutLinks: readonly (string | undefined)[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

/** @returns false where the file system has no hard links. */
function hardLinked(temporary: Buffer, target: Buffer): boolean {
  try {
    linkSync(temporary, target)
    return true
  } catch (error) {
    if (withoutLinks.includes(errnoOf(error))) return false
    throw error
  }
}

/** Of a file or folder itself, never of what a link in its place leads to. */
export function setMode(path: Buffer, mode: number): void {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  try {
    fchmodSync(file, mode)
  } finally {
    closeSync(file)
  }
}
