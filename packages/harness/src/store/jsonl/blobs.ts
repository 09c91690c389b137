import { link, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Blobs, FailureError } from '@rein/session'
import { codeOf, diskFailure, isAbsent } from '../disk-failure.ts'
import { sha256Of } from '../hasher.ts'
import { syncFolder } from './disk.ts'
import { writeBytes } from './log-file.ts'
import { FOLDER_MODE } from './names.ts'

const NAME = /^[0-9a-f]{64}$/
let temporary = 0

export interface BlobFolders {
  /** The blob folder of a session; rejects with `SESSION_MISSING`. */
  locate(id: string): Promise<string>
  /** Makes a hard link; default: that of the file system. */
  readonly hardLink?: (file: string, path: string) => Promise<void>
}

/** The blobs of one session, a file each, named by what they hold. */
export function fileBlobs(id: string, { locate, hardLink = link }: BlobFolders): Blobs {
  const get = (of: string) => readBlob(() => locate(of))
  return {
    put: async (bytes) => {
      const folder = await locate(id)
      const name = sha256Of(bytes)
      // Reading costs what hashing costs, and replaces a copy that was damaged.
      if (!(await readMatching(join(folder, name), name)))
        await place(folder, name, { bytes, make: (hidden) => writeBytes(hidden, bytes, 'wx') })
      return name
    },
    get: (sha256) => get(id)(sha256),
    link: async (sha256, from) => {
      const folder = await locate(id)
      const bytes = await get(from)(sha256)
      if (!bytes) return false
      if (await readMatching(join(folder, sha256), sha256)) return true
      const file = join(await locate(from), sha256)
      await place(folder, sha256, {
        bytes,
        make: (hidden) => linkOrCopy(() => hardLink(file, hidden), { hidden, bytes }),
      })
      return true
    },
  }
}

/** Under a name of its own first: whoever looks sees the whole blob or none. */
async function place(
  folder: string,
  name: string,
  { bytes, make }: { bytes: Uint8Array; make: (hidden: string) => Promise<void> },
): Promise<void> {
  const path = join(folder, name)
  const hidden = `${path}.${process.pid}-${process.hrtime.bigint()}-${temporary++}`
  try {
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
    await make(hidden)
    await rename(hidden, path)
    // Two links of one file: the rename of one over the other does nothing, and leaves it.
    await rm(hidden, { force: true })
    await syncFolder(folder)
  } catch (cause) {
    const failure = diskFailure('LOG_WRITE', `could not keep a blob of ${bytes.length} bytes`, cause)
    throw new FailureError(failure, { cause })
  }
}

/** Another file system, one without links, or one file with too many of them: then the bytes are written once more. */
async function linkOrCopy(
  tryLink: () => Promise<void>,
  { hidden, bytes }: { hidden: string; bytes: Uint8Array },
): Promise<void> {
  try {
    await tryLink()
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause
    await writeBytes(hidden, bytes, 'wx')
  }
}

const readBlob =
  (locate: () => Promise<string>) =>
  async (sha256: string): Promise<Uint8Array | undefined> => {
    if (!NAME.test(sha256)) return undefined
    let folder: string
    try {
      folder = await locate()
    } catch (cause) {
      if (cause instanceof FailureError && cause.failure.code === 'SESSION_MISSING') return undefined
      throw cause
    }
    return readMatching(join(folder, sha256), sha256)
  }

async function readMatching(path: string, sha256: string): Promise<Uint8Array | undefined> {
  try {
    const bytes = await readFile(path)
    return sha256Of(bytes) === sha256 ? bytes : undefined
  } catch (cause) {
    if (isAbsent(cause)) return undefined
    throw new FailureError(diskFailure('FILE_ERROR', 'could not read a blob', cause), { cause })
  }
}
