import type { Failure, FailureCode } from '@rein/session'
import type { ServedFailure } from './classify.ts'

/** Attempts of one step, the first included. */
export const attempts = 7

const first = 500
const most = 16_000

/** Longest wait that is worth it when nobody says otherwise, in milliseconds. */
export const defaultMaxWaitMs = 600_000

/**
 * The codes that come out of a model call, and whether the same request may be sent again. `no`: unless the server says
 * so itself (`x-should-retry`); `never`: whatever it says, because the answer cannot be another one before somebody acts.
 */
export const retryable: { readonly [code in FailureCode]?: 'yes' | 'no' | 'never' } = {
  RATE_LIMITED: 'yes',
  OVERLOADED: 'yes',
  SERVER_ERROR: 'yes',
  NETWORK: 'yes',
  TIMEOUT_CONNECT: 'yes',
  TIMEOUT_FIRST_BYTE: 'yes',
  TIMEOUT_IDLE: 'yes',
  EMPTY_RESPONSE: 'yes',
  STREAM_TRUNCATED: 'yes',
  BAD_REQUEST: 'no',
  BAD_RESPONSE: 'no',
  NO_SUCH_MODEL: 'no',
  AUTH: 'never',
  QUOTA: 'never',
  CONTEXT_WINDOW_EXCEEDED: 'never',
  CONTENT_FILTERED: 'never',
  NO_PROVIDER: 'never',
  NO_CREDENTIAL: 'never',
}

const mayRetry = (failure: ServedFailure): boolean => {
  const rule = retryable[failure.code] ?? 'never'
  return rule !== 'never' && (failure.retryable ?? rule === 'yes')
}

export type RetryDecision =
  | { readonly kind: 'retry'; readonly waitMs: number }
  | { readonly kind: 'give-up'; readonly failure: Failure }

/**
 * Milliseconds before the attempt after `attempt`: anywhere from 0 to a bound that doubles from 0.5 s up to 16 s.
 * @param attempt the one that failed, counted from 1.
 * @param chance from 0 up to 1, 1 excluded.
 * Source: full jitter spreads clients that failed together.
 */
export const backoff = (attempt: number, chance: number): number =>
  Math.round(Math.min(most, first * 2 ** (attempt - 1)) * chance)

/** A wait as people say it, at most two units: `1 h 30 min`. */
const spoken = (ms: number): string => {
  const seconds = Math.ceil(ms / 1000)
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ]
  const told = parts.filter(([count]) => count > 0).slice(0, 2)
  return told.length === 0 ? '0 s' : told.map(([count, unit]) => `${count} ${unit}`).join(' ')
}

const tooLong = (failure: Failure, waitMs: number, maxWaitMs: number): Failure => ({
  code: 'RATE_LIMITED',
  message: `the provider asks to wait ${spoken(waitMs)}, and at most ${spoken(maxWaitMs)} are allowed (${failure.message})`,
  next: `Try again in ${spoken(waitMs)}, or use another model.`,
  ...(failure.status === undefined ? {} : { status: failure.status }),
  retryAfterMs: waitMs,
})

/**
 * What follows a failed attempt. The one owner of retries asks; nothing here waits.
 * @param attempt the one that failed, counted from 1.
 * @param maxWaitMs longest wait allowed; a longer one is not begun, it gives up at once and names the time.
 * @param chance from 0 up to 1, 1 excluded.
 * @throws RangeError when `attempt` is not a positive integer.
 */
export const decide = (facts: {
  readonly attempt: number
  readonly failure: ServedFailure
  readonly maxWaitMs?: number
  readonly chance: number
}): RetryDecision => {
  const { attempt, failure, maxWaitMs = defaultMaxWaitMs, chance } = facts
  if (!Number.isInteger(attempt) || attempt < 1) throw new RangeError(`attempts count from 1, not ${attempt}`)
  if (!mayRetry(failure) || attempt >= attempts) return { kind: 'give-up', failure }
  const hintMs = failure.retryAfterMs ?? 0
  if (hintMs > maxWaitMs) return { kind: 'give-up', failure: tooLong(failure, hintMs, maxWaitMs) }
  // What the provider asks for is a lower bound: a small hint does not shorten the own wait, a long one lengthens it.
  const waitMs = Math.max(backoff(attempt, chance), hintMs)
  return waitMs > maxWaitMs ? { kind: 'give-up', failure } : { kind: 'retry', waitMs }
}
