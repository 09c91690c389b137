import type { Failure } from '@rein/session'
import type { Paint } from './paint.ts'
import { indent, safeText } from './safe-text.ts'

/** A failure for people: what happened in red, then what to do next. */
export function shownFailure({ code, message, next }: Failure, { red, dim }: Paint): string {
  const [first = '', ...more] = safeText(message).split('\n')
  const rest = more.length > 0 ? `\n${indent(more, '  ')}` : ''
  const hint = next === undefined ? '' : `\n${indent(safeText(next).split('\n'), '  ')}`
  return `${red(`${code}: ${first}`)}${rest}${dim(hint)}`
}
