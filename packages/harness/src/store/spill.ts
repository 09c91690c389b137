import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { FailureError } from '@rein/session'
import { codeOf, diskFailure } from './disk-failure.ts'

/** Largest spill file, in bytes; what comes after is counted and left out. */
export const SPILL_LIMIT = 64 * 1024 * 1024

/** A file that holds the whole of an output too large for a message. Writes keep their order. */
export interface SpilledFile {
  /** Absolute. */
  readonly path: string
  /** @throws FailureError `FILE_ERROR` when the disk refuses. */
  write(bytes: Uint8Array): Promise<void>
  /** Idempotent. A file that reached its limit ends in a line that says how much is missing. */
  close(): Promise<void>
}

/**
 * Spill files in one folder, private to the user. A name already taken gets a number, so nothing is overwritten.
 * @param locate the folder, made when the first file is opened; rejects with `SESSION_MISSING`.
 */
export function spillFiles(
  locate: () => Promise<string>,
  limit: number = SPILL_LIMIT,
): { open(name: string): Promise<SpilledFile> } {
  return {
    async open(name) {
      const folder = await locate()
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        return await openNew(folder, safeName(name), limit)
      } catch (cause) {
        throw new FailureError(diskFailure('FILE_ERROR', 'could not open a file for the whole output', cause), {
          cause,
        })
      }
    },
  }
}

/** Only what may stand in a file name, at most 80 characters; never hidden, never a path. */
function safeName(name: string): string {
  const safe = name
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 80)
  return safe === '' ? 'output' : safe
}

async function openNew(folder: string, name: string, limit: number): Promise<SpilledFile> {
  const dot = name.lastIndexOf('.')
  const [stem, end] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  for (let number = 1; ; number++) {
    const path = join(folder, number === 1 ? name : `${stem}-${number}${end}`)
    try {
      return bounded(await open(path, 'wx', 0o600), path, limit)
    } catch (cause) {
      if (codeOf(cause) !== 'EEXIST') throw cause
    }
  }
}

function bounded(file: FileHandle, path: string, limit: number): SpilledFile {
  let written = 0
  let left = 0
  let closed = false
  let queue: Promise<void> = Promise.resolve()
  const serial = (work: () => Promise<void>): Promise<void> => {
    const done = queue.then(work).catch((cause: unknown) => {
      throw new FailureError(diskFailure('FILE_ERROR', `could not write ${path}`, cause), { cause })
    })
    const ended = (): void => {}
    // The caller gets the outcome; the queue only needs to know that it is over.
    queue = done.then(ended, ended)
    return done
  }
  return {
    path,
    write: (bytes) =>
      serial(async () => {
        const part = bytes.subarray(0, Math.max(0, limit - written))
        written += part.length
        left += bytes.length - part.length
        if (part.length > 0) await file.writeFile(part)
      }),
    close: () =>
      serial(async () => {
        if (closed) return
        closed = true
        try {
          if (left > 0)
            await file.writeFile(`\n[${left} more bytes were not kept: a spill file ends at ${limit} bytes]\n`)
        } finally {
          await file.close()
        }
      }),
  }
}
