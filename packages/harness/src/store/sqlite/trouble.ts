import type { Failure, FailureCode } from '@rein/session'
import { codeOf, diskFailure } from '../disk-failure.ts'

/** Trouble with the database that SQLite itself does not see. */
export class SqlTrouble extends Error {
  readonly kind: 'absent' | 'foreign' | 'later' | 'lines'
  constructor(kind: SqlTrouble['kind'], message: string) {
    super(message)
    this.name = 'SqlTrouble'
    this.kind = kind
  }
}

/** Primary result codes of SQLite (sqlite.org/rescode.html). */
const BUSY = 5
const LOCKED = 6
const CORRUPT = 11
/** The locks of the journal were not to be had in a hundred tries: somebody stopped while it held one. */
const PROTOCOL = 15

const stopped = 'Another process does not let go of the database: continue or end the one that is stopped, then resume.'

const NEXT: { readonly [primary: number]: string } = {
  3: 'Check who owns the database, or set REIN_HOME to a folder you can write to.',
  [BUSY]: stopped,
  [LOCKED]: stopped,
  [PROTOCOL]: stopped,
  7: 'Memory ran out: end other programs, then resume the session.',
  8: 'The database cannot be written: check its owner and its disk, or set REIN_HOME to another folder.',
  10: 'The disk reports an error or refuses to let the file grow: check it, then resume the session.',
  [CORRUPT]: 'Move it away and restore it from a copy, or save what is left with `sqlite3 sessions.sqlite .recover`.',
  13: 'Free space on that disk, then resume the session.',
  14: 'Check the folder of the database and who owns it, or set REIN_HOME to a folder you can write to.',
  18: 'One piece is larger than the database takes (1,000,000,000 bytes).',
  26: 'What stands there is no SQLite database: move it away, or restore it from a copy.',
}

/** SQLite's primary result code of an error; undefined for anything else. */
export function sqlCode(cause: unknown): number | undefined {
  if (codeOf(cause) !== 'ERR_SQLITE_ERROR' || !(cause instanceof Error) || !('errcode' in cause)) return undefined
  return typeof cause.errcode === 'number' ? cause.errcode & 0xff : undefined
}

export const isBusy = (cause: unknown): boolean => [BUSY, LOCKED, PROTOCOL].some((code) => code === sqlCode(cause))
/** The pages that were asked for are damaged; others may be whole. */
export const isCorrupt = (cause: unknown): boolean => sqlCode(cause) === CORRUPT

/** Whether it is trouble of the database or the disk, and no bug. */
export const isTrouble = (cause: unknown): boolean => cause instanceof SqlTrouble || codeOf(cause) !== undefined

/** What went wrong with the database at `path` as a failure that names it and the next step. */
export function sqlFailure(
  doing: { readonly code: FailureCode; readonly what: string; readonly path: string },
  cause: unknown,
): Failure {
  const { code, what, path } = doing
  if (cause instanceof SqlTrouble) return troubleFailure(doing, cause)
  const primary = sqlCode(cause)
  if (primary === undefined) return diskFailure(code, what, cause)
  const reason = cause instanceof Error ? cause.message : String(cause)
  return {
    code,
    message: `${what}: ${reason} (${path})`,
    next: NEXT[primary] ?? 'Check the database and its disk, then resume the session.',
  }
}

function troubleFailure(
  { code, what, path }: { readonly code: FailureCode; readonly what: string; readonly path: string },
  { kind, message }: SqlTrouble,
): Failure {
  const said = `${what}: ${message} (${path})`
  switch (kind) {
    case 'later':
      return { code: 'FORMAT_TOO_NEW', message: said, next: 'Use the version of rein that made it.' }
    case 'absent':
      return { code, message: said, next: 'Use a Node from nodejs.org, or keep sessions in files: `kind: jsonl`.' }
    case 'foreign':
      return { code, message: said, next: 'Move it away, or set REIN_HOME to another folder.' }
    case 'lines':
      return { code, message: said, next: 'Restore the database from a copy, or put the session away.' }
  }
}
