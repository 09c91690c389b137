import type { Failure, FailureCode, TurnOutcome } from '@rein/session'

/** Exit codes of the command, by what they mean. */
export const exits = {
  done: 0,
  error: 1,
  usage: 2,
  denied: 3,
  budget: 4,
  cut: 5,
  damaged: 6,
  interrupted: 130,
  terminated: 143,
} as const

/** What decides the exit code of one task. */
export interface Ended {
  readonly outcome: TurnOutcome
  readonly denied: boolean
  /** Whether there is an answer that is not blank. */
  readonly answered: boolean
  /** The signal that stopped it, when one did. */
  readonly signal?: 'SIGINT' | 'SIGTERM'
}

/** The exit code of a turn. Where several apply the first of 130/143, 1, 4, 5, 3, 0 counts. */
export function exitOf({ outcome, denied, answered, signal }: Ended): number {
  if (signal !== undefined) return signal === 'SIGTERM' ? exits.terminated : exits.interrupted
  switch (outcome) {
    case 'cancelled':
      return exits.interrupted
    case 'error':
    case 'interrupted':
      return exits.error
    case 'budget':
      return exits.budget
    case 'max-tokens':
      return exits.cut
    case 'blocked':
      return exits.denied
    case 'completed':
      if (denied) return exits.denied
      return answered ? exits.done : exits.error
  }
}

/** Trouble that is not about how rein was called or set up. */
const notUsage: ReadonlyMap<FailureCode, number> = new Map<FailureCode, number>([
  ['SESSION_DAMAGED', exits.damaged],
  ['BLOB_MISSING', exits.damaged],
  ['SESSION_TAKEN', exits.error],
  ['LOG_WRITE', exits.error],
  ['FILE_ERROR', exits.error],
  ['REQUEST_DIVERGED', exits.error],
])

/** The exit code when it ended before a turn began. */
export const exitOfFailure = ({ code }: Failure): number => notUsage.get(code) ?? exits.usage

/** A failure as people read it on stderr: what it is, then what can be done. */
export const failureText = ({ message, next }: Failure): string =>
  `rein: ${message}${next === undefined ? '' : `\n  ${next.replaceAll('\n', '\n  ')}`}\n`
