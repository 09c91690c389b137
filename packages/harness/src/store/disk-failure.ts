import type { Failure, FailureCode } from '@rein/session'

/** What to do about a refusal of the disk, by the system's own code. */
const NEXT: { readonly [code: string]: string } = {
  ENOSPC: 'Free space on that disk, then resume the session.',
  EDQUOT: 'Free some of your quota on that disk, then resume the session.',
  EROFS: 'That file system is read-only: set REIN_HOME to a folder you can write to.',
  EACCES: 'Check who owns that folder, or set REIN_HOME to a folder you can write to.',
  EPERM: 'Check who owns that folder, or set REIN_HOME to a folder you can write to.',
  EMFILE: 'Too many files are open: close other sessions or raise the limit (ulimit -n).',
  ENFILE: 'Too many files are open on this machine: close other programs.',
  EIO: 'The disk reports an error: check it before going on.',
  ENOTDIR: 'A file stands where a folder should be: move it away, or set REIN_HOME to another folder.',
  EISDIR: 'A folder stands where the file should be, or something else that is no file: move it away.',
}

/** The system's code of an error, such as `ENOENT`; undefined for anything else. */
export function codeOf(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
}

/** A refusal of the disk as a failure that names the cause and the next step. */
export function diskFailure(code: FailureCode, doing: string, cause: unknown): Failure {
  const system = codeOf(cause)
  const said = cause instanceof Error ? cause.message : String(cause)
  const reason = system === 'EISDIR' ? 'what stands there is not a file' : said
  return {
    code,
    message: `${doing}: ${reason}`,
    next: (system && NEXT[system]) ?? 'Check that folder and its disk, or set REIN_HOME to a folder you can write to.',
  }
}

/** What is in a folder; nothing where there is no such folder. */
export async function noneWhenAbsent<T>(looking: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await looking
  } catch (cause) {
    if (isAbsent(cause)) return []
    throw cause
  }
}

/** True when the file or folder is simply not there. */
export const isAbsent = (cause: unknown): boolean => {
  const code = codeOf(cause)
  return code === 'ENOENT' || code === 'ENOTDIR'
}
