import type { Failure, Result } from '@rein/session'

export const usageFailure = (message: string): Failure => ({
  code: 'USAGE',
  message,
  next: 'rein --help lists what there is.',
})

export const usage = (message: string): Result<never> & { readonly ok: false } => ({
  ok: false,
  failure: usageFailure(message),
})
