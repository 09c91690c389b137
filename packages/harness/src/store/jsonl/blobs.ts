import { createHash } from 'node:crypto'
import { mkdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { type Blobs, FailureError } from '@rein/session'
import { diskFailure, isAbsent } from '../disk-failure.ts'
import { syncFolder } from './disk.ts'
import { writeBytes } from './log-file.ts'
import { FOLDER_MODE } from './names.ts'

const NAME = /^[0-9a-f]{64}$/
let temporary = 0

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/**
 * The blobs of one session, a file each, named by what they hold.
 * @param locate the blob folder; rejects with `SESSION_MISSING`.
 */
export function fileBlobs(locate: () => Promise<string>): Blobs {
  return {
    async put(bytes) {
      const folder = await locate()
      const name = sha256Of(bytes)
      const path = join(folder, name)
      // Reading costs what hashing costs, and replaces a copy that was damaged.
      if (await readMatching(path, name)) return name
      const hidden = `${path}.${process.pid}-${process.hrtime.bigint()}-${temporary++}`
      try {
        await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
        await writeBytes(hidden, bytes, 'wx')
        await rename(hidden, path)
        await syncFolder(folder)
      } catch (cause) {
        throw new FailureError(diskFailure('LOG_WRITE', `could not keep a blob of ${bytes.length} bytes`, cause), {
          cause,
        })
      }
      return name
    },
    async get(sha256) {
      if (!NAME.test(sha256)) return undefined
      let folder: string
      try {
        folder = await locate()
      } catch (cause) {
        if (cause instanceof FailureError && cause.failure.code === 'SESSION_MISSING') return undefined
        throw cause
      }
      return readMatching(join(folder, sha256), sha256)
    },
  }
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
