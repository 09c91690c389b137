import type { Failure, Holder, Result } from '@rein/session'

export const fail = (failure: Failure): Result<never> => ({ ok: false, failure })

export const missing = (id: string): Failure => ({
  code: 'SESSION_MISSING',
  message: `there is no session ${id}`,
  next: 'List them with `rein sessions`.',
})

/**
 * What is listed and has no log. @param written whether it had one: then it was lost, while a session whose process
 * died while it was made never held anything.
 */
export const withoutLog = (id: string, written: boolean): Failure =>
  written
    ? {
        code: 'SESSION_DAMAGED',
        message: `the log of session ${id} is gone; what belongs to it is left`,
        next: 'Put its log back from a copy.',
      }
    : {
        code: 'SESSION_MISSING',
        message: `session ${id} has no log; nothing but its lock or inbox is left`,
        next: 'Nothing was written as far as can be told; what is left can be deleted.',
      }

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

export const notInTrash = (name: string): Failure => ({
  code: 'SESSION_MISSING',
  message: `nothing in the trash is named ${JSON.stringify(name.slice(0, 140))}`,
  next: 'List it with `rein sessions trash`.',
})

export const taken = (id: string): Failure => ({
  code: 'SESSION_TAKEN',
  message: `session ${id} was taken over by another process`,
  next: 'Follow it there, or resume it once that process has ended.',
})

export const tornLog = (id: string): Failure => ({
  code: 'SESSION_DAMAGED',
  message: `the log of session ${id} ends in a torn line`,
  next: 'Publish the repaired lines first, as opening the session does.',
})
