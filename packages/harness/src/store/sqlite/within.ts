import { FailureError, type Result } from '@rein/session'
import { fail } from '../failures.ts'
import type { Database } from './database.ts'
import { isTrouble, sqlFailure } from './trouble.ts'

/** What every part of the store works with. */
export interface Within {
  readonly database: Database
  readonly now: () => number
  readonly silentMs: number
  /** The folder of all spill folders. */
  readonly spill: string
}

/** Trouble of the database as a failure; anything else is a bug and goes on up. */
export async function guarded<T>(
  { database }: Within,
  what: string,
  work: () => Promise<Result<T>>,
): Promise<Result<T>> {
  try {
    return await work()
  } catch (cause) {
    if (!isTrouble(cause)) throw cause
    return fail(sqlFailure({ code: 'FILE_ERROR', what, path: database.path }, cause))
  }
}

/** The same where nothing but a throw can carry it. */
export async function orFailure<T>({ database }: Within, what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (!isTrouble(cause)) throw cause
    throw new FailureError(sqlFailure({ code: 'FILE_ERROR', what, path: database.path }, cause), { cause })
  }
}
