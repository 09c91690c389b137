import type { Failure, FailureCode, Result } from '@rein/session'

/** What Node says about a file operation that did not work, as the failure people and programs see. */
export function fileTrouble(error: unknown, path: string): Failure {
  const code = errnoOf(error)
  if (code === undefined) throw error
  const known = TROUBLE[code]
  if (known === undefined) return { code: 'FILE_ERROR', message: `${path}: the operating system answered ${code}.` }
  const [failure, says, next] = known
  return { code: failure, message: `${path}: ${says}.`, ...(next === undefined ? {} : { next }) }
}

/** The `code` of a Node system error; undefined for anything else, which is a bug and not to be reported as trouble. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  return error.code.startsWith('E') ? error.code : undefined
}

/** What `work` gives, `instead` where the operating system refuses it. A bug still throws. */
export function unlessRefused<T, I>(work: () => T, instead: I): T | I {
  try {
    return work()
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
    return instead
  }
}

/** A failed `Result`. */
export const failed = (code: FailureCode, message: string, next?: string): { ok: false; failure: Failure } => ({
  ok: false,
  failure: { code, message, ...(next === undefined ? {} : { next }) },
})

/** A `Result` that went well. */
export const fine = <T>(value: T): Result<T> => ({ ok: true, value })

const TROUBLE: { readonly [code: string]: readonly [FailureCode, string, string?] } = {
  ENOENT: ['NOT_FOUND', 'there is no such file'],
  ENOTDIR: ['NOT_FOUND', 'a part of this path is a file, not a directory'],
  EISDIR: ['NOT_A_FILE', 'this is a directory'],
  EACCES: ['FILE_ERROR', 'permission denied', 'Ask the person, or work on a file you may change.'],
  EPERM: ['FILE_ERROR', 'the operating system does not permit this'],
  EROFS: ['FILE_ERROR', 'the file system is read-only'],
  ENOSPC: ['FILE_ERROR', 'the disk is full', 'Nothing was changed; free some space first.'],
  EDQUOT: ['FILE_ERROR', 'the disk quota is used up', 'Nothing was changed; free some space first.'],
  ENAMETOOLONG: ['FILE_ERROR', 'the name is too long'],
  ELOOP: ['FILE_ERROR', 'its symbolic links lead in a circle'],
  EEXIST: ['STALE_FILE', 'somebody else created it a moment ago', 'Read it before you change it.'],
}
