import type { Spent, Usage } from '@rein/session'
import { count, dollars } from './amount.ts'

/**
 * What the last turn and the session used: `tokens 4,210 in (3,900 cached), 120 out · context 4,330 · session …`.
 * `in` is the whole prompt, what came from a cache included; the cost is there when every call had a price.
 */
export function tokenLine(spent: Spent, lastTurn: Usage): string {
  const told = sum(spent.total)
  if (spent.requests > 0 && told === 0) return 'tokens: the provider does not say'
  const parts = [
    sum(lastTurn) === 0 && told > 0 ? 'tokens: not told for this turn' : `tokens ${used(lastTurn)}`,
    `context ${count(spent.context)}`,
  ]
  if (!same(spent.total, lastTurn)) parts.push(`session ${used(spent.total)}`)
  if (spent.cost !== undefined && spent.cost > 0) parts.push(dollars(spent.cost))
  return parts.join(' · ')
}

function used({ input, cacheRead, cacheWrite, output }: Usage): string {
  const cached = cacheRead > 0 ? ` (${count(cacheRead)} cached)` : ''
  return `${count(input + cacheRead + cacheWrite)} in${cached}, ${count(output)} out`
}

const sum = ({ input, cacheRead, cacheWrite, output }: Usage): number => input + cacheRead + cacheWrite + output

const same = (a: Usage, b: Usage): boolean =>
  a.input === b.input && a.cacheRead === b.cacheRead && a.cacheWrite === b.cacheWrite && a.output === b.output
