import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Result } from '@rein/session'
import { contentHash } from './hash.ts'
import { failed, fileTrouble, fine } from './trouble.ts'

/** Which bytes a file held at one moment; the hash decides, the rest lets a later look be cheap. */
export interface Version {
  readonly hash: string
  readonly inode: bigint
  /** Last modification in nanoseconds since 1970. */
  readonly changed: bigint
  /** Bytes. */
  readonly size: bigint
}

/** Largest file that is taken into memory whole, in bytes. */
export const WHOLE_FILE_LIMIT = 32 * 1024 * 1024

/**
 * The whole file and its version, for a change. `path` is resolved, `shown` is how the model wrote it.
 * Fails `NOT_FOUND`, `NOT_A_FILE`, or `FILE_ERROR` when it is above `WHOLE_FILE_LIMIT`.
 */
export async function readWhole(
  path: string,
  shown: string,
): Promise<Result<{ readonly bytes: Buffer; readonly version: Version }>> {
  try {
    // Non-blocking, because opening a pipe without a writer would wait for ever.
    await using handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const facts = await handle.stat({ bigint: true })
    if (!facts.isFile()) return failed('NOT_A_FILE', `${shown} is ${kindOf(facts)}, not a file.`)
    if (facts.size > WHOLE_FILE_LIMIT) {
      const next = 'Change it with a command such as sed.'
      return failed('FILE_ERROR', `${shown} is too large to be changed here (${facts.size} bytes).`, next)
    }
    const bytes = await handle.readFile()
    return fine({
      bytes,
      version: { hash: contentHash(bytes), inode: facts.ino, changed: facts.mtimeNs, size: facts.size },
    })
  } catch (error) {
    return { ok: false, failure: fileTrouble(error, shown) }
  }
}

interface Kind {
  isDirectory(): boolean
  isFIFO(): boolean
  isSocket(): boolean
}

/** What stands at a path that is no regular file, with its article. */
export function kindOf(facts: Kind): string {
  if (facts.isDirectory()) return 'a directory'
  if (facts.isFIFO()) return 'a named pipe'
  return facts.isSocket() ? 'a socket' : 'a device'
}
