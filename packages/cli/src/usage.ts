import type { Failure, Result } from '@rein/session'

export const usageFailure = (message: string, next = 'rein --help lists what there is.'): Failure => ({
  code: 'USAGE',
  message,
  next,
})

export const usage = (message: string, next?: string): Result<never> & { readonly ok: false } => ({
  ok: false,
  failure: usageFailure(message, next),
})
