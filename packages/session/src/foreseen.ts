import { FailureError } from './failure.ts'
import type { Result } from './store.ts'

/** What was thrown, as a value again. @throws whatever is no `FailureError`: a bug goes on up. */
export function foreseen(thrown: unknown): Result<never> {
  if (!(thrown instanceof FailureError)) throw thrown
  return { ok: false, failure: thrown.failure }
}
