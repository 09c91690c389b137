import { constants, type FileHandle, open } from 'node:fs/promises'
import { FailureError, type Result } from '@rein/session'
import { codeOf, diskFailure } from '../disk-failure.ts'
import { fail, missing, withoutLog } from '../failures.ts'
import { highestLog } from './highest-log.ts'
import { hadLog, type Place } from './names.ts'

/** Bytes handed out at a time. */
const BLOCK = 4 * 1024 * 1024

/**
 * The highest published log as it stands when reading begins. Each pass reads from the beginning.
 * A disk that refuses in the middle rejects with `FILE_ERROR`.
 */
export async function readLog(at: Place): Promise<Result<AsyncIterable<Uint8Array>>> {
  try {
    const file = await highestLog(at, openFile)
    if (!file) return fail(withoutLog(at.id, await hadLog(at)))
    await file.close()
    return { ok: true, value: { [Symbol.asyncIterator]: () => blocks(at) } }
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause
    return fail(unreadable(at.id, cause))
  }
}

/** Without waiting: a pipe in the place of a log must not hang the reader. */
async function openFile(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  if ((await file.stat()).isFile()) return file
  await file.close()
  throw Object.assign(new Error('what stands there is not a file'), { code: 'EISDIR' })
}

async function* blocks(at: Place): AsyncGenerator<Uint8Array> {
  const file = await highestLog(at, openFile)
  if (!file) throw new FailureError(missing(at.id))
  try {
    const { size } = await file.stat()
    for (let position = 0; position < size; ) {
      const block = Buffer.allocUnsafe(Math.min(BLOCK, size - position))
      const { bytesRead } = await file.read(block, 0, block.length, position)
      if (bytesRead === 0) return
      position += bytesRead
      yield block.subarray(0, bytesRead)
    }
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause
    throw new FailureError(unreadable(at.id, cause), { cause })
  } finally {
    await file.close()
  }
}

const unreadable = (id: string, cause: unknown) => diskFailure('FILE_ERROR', `could not read session ${id}`, cause)
