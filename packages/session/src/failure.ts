/**
 * Codes of expected trouble. A code never changes meaning; `docs/failures.md` gives each its next step,
 * and a test holds that table equal to this union.
 */
export type FailureCode =
  // the model and the way to it
  | 'RATE_LIMITED'
  | 'OVERLOADED'
  | 'AUTH'
  | 'QUOTA'
  | 'CONTEXT_WINDOW_EXCEEDED'
  | 'EMPTY_RESPONSE'
  | 'STREAM_TRUNCATED'
  | 'CONTENT_FILTERED'
  | 'BAD_REQUEST'
  | 'BAD_RESPONSE'
  | 'NO_SUCH_MODEL'
  | 'TIMEOUT_CONNECT'
  | 'TIMEOUT_FIRST_BYTE'
  | 'TIMEOUT_IDLE'
  | 'NETWORK'
  | 'SERVER_ERROR'
  | 'NO_PROVIDER'
  | 'NO_CREDENTIAL'
  // the log and its store
  | 'SESSION_TAKEN'
  | 'SESSION_BUSY'
  | 'SESSION_MISSING'
  | 'SESSION_EXISTS'
  | 'SESSION_DAMAGED'
  | 'FORMAT_TOO_NEW'
  | 'LOG_WRITE'
  | 'BLOB_MISSING'
  | 'REQUEST_DIVERGED'
  // a budget
  | 'STEPS'
  | 'TOKENS'
  | 'COST'
  | 'TIME'
  | 'REPEAT_LOOP'
  // a tool call
  | 'UNKNOWN_TOOL'
  | 'INVALID_ARGUMENTS'
  | 'TOOL_FAILED'
  | 'TOOL_TIMEOUT'
  | 'NOT_FOUND'
  | 'NOT_A_FILE'
  | 'BINARY_FILE'
  | 'OUTSIDE_WORKSPACE'
  | 'PROTECTED_PATH'
  | 'READ_FIRST'
  | 'STALE_FILE'
  | 'NO_MATCH'
  | 'AMBIGUOUS_MATCH'
  | 'NOT_UTF8'
  | 'SECRET_PLACEHOLDER'
  | 'FILE_ERROR'
  // the plugin host and settings
  | 'PLUGIN_FAILED'
  | 'REFUSED'
  | 'BAD_SETTINGS'
  | 'CONSENT_MISSING'
  | 'USAGE'

/** Expected trouble as a value. `message` is for people and is never read by a program. */
export interface Failure {
  readonly code: FailureCode
  readonly message: string
  /** What the person can do next, one sentence. */
  readonly next?: string
  /** HTTP status, when one was received. */
  readonly status?: number
  /** Milliseconds the provider asked us to wait. */
  readonly retryAfterMs?: number
}

/** Carries a failure where only a throw can: out of a callback of someone else, or to the top of the command. */
export class FailureError extends Error {
  readonly failure: Failure
  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.message, options)
    this.name = 'FailureError'
    this.failure = failure
  }
}
