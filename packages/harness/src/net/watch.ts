import { FailureError } from '@rein/session'
import { timeoutFailure, type Wait } from './trouble.ts'

/** Limits in milliseconds, above 0; null waits for ever. */
export interface Timeouts {
  /** Name look-up, TCP and TLS together. */
  readonly connect: number | null
  /** From the last byte sent to the first byte of the reply's body; the reply's head starts it anew. */
  readonly firstByte: number | null
  /** Between two bytes of the body. Any byte is life, keep-alive comments included. */
  readonly idle: number | null
}

export const defaultTimeouts: Timeouts = { connect: 15_000, firstByte: 120_000, idle: 90_000 }

/** One timer for the three waits of an exchange: they follow each other and never run together. */
export interface Watch {
  /** Start this wait, ending the one before. */
  expect(wait: Wait): void
  /** Nothing is being waited for: a slow reader is not a slow server. */
  rest(): void
}

/**
 * @param expired called once, when a limit runs out; the error carries the failure.
 * @param target host and port, for the message.
 */
export const watch = (timeouts: Timeouts, target: string, expired: (error: FailureError) => void): Watch => {
  const limits = { connect: timeouts.connect, 'first-byte': timeouts.firstByte, idle: timeouts.idle }
  for (const limit of Object.values(limits)) {
    if (limit !== null && !(limit > 0)) throw new RangeError(`a time limit is above 0 or null, not ${limit}`)
  }
  let timer: NodeJS.Timeout | undefined
  const rest = () => clearTimeout(timer)
  const expect = (wait: Wait) => {
    rest()
    const limit = limits[wait]
    if (limit !== null) timer = setTimeout(() => expired(new FailureError(timeoutFailure(wait, limit, target))), limit)
  }
  return { expect, rest }
}
