import type { Failure, Holder, Result } from '@rein/session'

export const fail = (failure: Failure): Result<never> => ({ ok: false, failure })

export const missing = (id: string): Failure => ({
  code: 'SESSION_MISSING',
  message: `there is no session ${id}`,
  next: 'List them with `rein sessions`.',
})

export const exists = (id: string): Failure => ({
  code: 'SESSION_EXISTS',
  message: `there is a session ${id} already`,
  next: 'Resume it, or choose another id.',
})

export const busy = (id: string, by: Holder | undefined): Failure => ({
  code: 'SESSION_BUSY',
  message: by
    ? `session ${id} is held by process ${by.pid} on ${by.host}`
    : `session ${id} is being taken by another process`,
  next: 'Follow it there, end that process, or wait until it has been silent for some seconds.',
})

export const badId = (id: string): Failure => ({
  code: 'USAGE',
  message: `not a session id: ${JSON.stringify(id.slice(0, 140))}`,
  next: 'Use 1 to 128 letters, digits, `-` and `_`.',
})
