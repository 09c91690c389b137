import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Spent, Usage } from '@rein/session'
import { count, dollars, duration, moment, size } from '../../src/view/amount.ts'
import { paint } from '../../src/view/paint.ts'
import { tokenLine } from '../../src/view/token-line.ts'

const used = (input: number, cacheRead: number, output: number): Usage => ({ input, cacheRead, cacheWrite: 0, output })
const spent = (total: Usage, cost?: number): Spent => ({ total, cost, requests: 2, context: 5000 })

describe('the token line', () => {
  test('shows the whole prompt with its cached part, the output and the context', () => {
    const turn = used(100, 1900, 56)
    assert.equal(tokenLine(spent(turn), turn), 'tokens 2,000 in (1,900 cached), 56 out · context 5,000')
  })

  test('adds the session when it is more than the turn, and the cost when it is known', () => {
    const line = tokenLine(spent(used(300, 0, 80), 0.0123), used(100, 0, 20))
    assert.equal(line, 'tokens 100 in, 20 out · context 5,000 · session 300 in, 80 out · $0.0123')
  })

  test('takes a turn of which nothing was told not for a turn that used nothing', () => {
    const line = tokenLine(spent(used(300, 0, 80)), used(0, 0, 0))
    assert.equal(line, 'tokens: not told for this turn · context 5,000 · session 300 in, 80 out')
  })

  test('says when the provider tells nothing', () => {
    assert.equal(tokenLine(spent(used(0, 0, 0)), used(0, 0, 0)), 'tokens: the provider does not say')
  })
})

test('amounts are written for people', () => {
  assert.deepEqual([0, 999, 1000, 1_234_567].map(count), ['0', '999', '1,000', '1,234,567'])
  assert.deepEqual([5, 3400, 59_990, 125_000].map(duration), ['5 ms', '3.4 s', '1 min 0 s', '2 min 5 s'])
  assert.deepEqual([0, 1023, 4300, 30_114, 1_048_000, 13 * 1024 ** 2].map(size), [
    '0 B',
    '1023 B',
    '4.2 KB',
    '29 KB',
    '1.0 MB',
    '13 MB',
  ])
  assert.deepEqual([0, 0.0042, 1.274].map(dollars), ['$0.00', '$0.0042', '$1.27'])
  assert.equal(moment(new Date(2026, 2, 1, 9, 5).getTime()), '2026-03-01 09:05')
})

test('colours end with each line, and are left out when nobody wants them', () => {
  assert.equal(paint(true).red('a\n\nb'), '\u001b[31ma\u001b[39m\n\n\u001b[31mb\u001b[39m')
  assert.equal(paint(false).red('a'), 'a')
})
