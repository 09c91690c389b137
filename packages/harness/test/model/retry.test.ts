import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Failure } from '@rein/session'
import fc from 'fast-check'
import { attempts, backoff, decide, retryable } from '../../src/model/retry.ts'

const limited = (rest: Partial<Failure> = {}): Failure => ({ code: 'RATE_LIMITED', message: 'slow down', ...rest })

const waits = (failure: Failure, chance: number): readonly number[] => {
  const out: number[] = []
  for (let attempt = 1; ; attempt++) {
    const decision = decide({ attempt, failure, chance })
    if (decision.kind === 'give-up') return out
    out.push(decision.waitMs)
  }
}

test('there are seven attempts, and the bound of the wait doubles from half a second to 16', () => {
  assert.equal(attempts, 7)
  assert.deepEqual(waits(limited(), 1), [500, 1_000, 2_000, 4_000, 8_000, 16_000])
})

test('waits grow although the server says Retry-After: 0', () => {
  const grown = waits(limited({ retryAfterMs: 0 }), 0.5)
  assert.deepEqual(grown, [250, 500, 1_000, 2_000, 4_000, 8_000])
})

test('no wait is shorter than asked for nor longer than the longer of both', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.nat(600_000),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (attempt, retryAfterMs, chance) => {
        const decision = decide({ attempt, failure: limited({ retryAfterMs }), chance })
        assert.ok(decision.kind === 'retry')
        assert.ok(decision.waitMs >= retryAfterMs)
        assert.ok(decision.waitMs <= Math.max(retryAfterMs, 16_000))
        assert.ok(backoff(attempt, chance) <= Math.min(16_000, 500 * 2 ** (attempt - 1)))
      },
    ),
  )
})

test('a wait beyond the allowed one is not begun, and the time is named', () => {
  const failure: Failure = { code: 'OVERLOADED', message: 'busy', status: 503, retryAfterMs: 5_400_000 }
  const decision = decide({ attempt: 1, failure, chance: 0 })
  assert.ok(decision.kind === 'give-up')
  assert.equal(decision.failure.code, 'RATE_LIMITED')
  assert.equal(decision.failure.retryAfterMs, 5_400_000)
  assert.equal(decision.failure.status, 503)
  assert.match(decision.failure.message, /wait 1 h 30 min, and at most 10 min are allowed \(busy\)/)
})

test('the allowed wait can be longer, or shorter, than ten minutes', () => {
  const failure = limited({ retryAfterMs: 700_000 })
  assert.equal(decide({ attempt: 1, failure, chance: 0, maxWaitMs: 800_000 }).kind, 'retry')
  assert.equal(
    decide({ attempt: 1, failure: limited({ retryAfterMs: 3_000 }), chance: 0, maxWaitMs: 2_000 }).kind,
    'give-up',
  )
})

test('an own wait that is longer than allowed gives up with what happened, not with a wait nobody asked for', () => {
  const failure: Failure = { code: 'NETWORK', message: 'refused' }
  const decision = decide({ attempt: 6, failure, chance: 0.9, maxWaitMs: 1_000 })
  assert.deepEqual(decision, { kind: 'give-up', failure })
})

for (const [code, rule] of Object.entries(retryable)) {
  test(`${code} is ${rule === 'yes' ? '' : 'not '}tried again by itself`, () => {
    const failure = { code: code as Failure['code'], message: '' }
    const decision = decide({ attempt: 1, failure, chance: 0 })
    assert.deepEqual(decision, rule === 'yes' ? { kind: 'retry', waitMs: 0 } : { kind: 'give-up', failure })
  })
}

test('a failure that is no matter of the model is not tried again', () => {
  assert.equal(decide({ attempt: 1, failure: { code: 'LOG_WRITE', message: '' }, chance: 0 }).kind, 'give-up')
})

test("the server's own word on trying again wins, but not where nothing would change", () => {
  const kind = (code: Failure['code'], said: boolean) =>
    decide({ attempt: 1, failure: Object.assign({ code, message: '' }, { retryable: said }), chance: 0 }).kind
  assert.equal(kind('SERVER_ERROR', false), 'give-up')
  assert.equal(kind('BAD_REQUEST', true), 'retry')
  assert.equal(kind('CONTEXT_WINDOW_EXCEEDED', true), 'give-up')
  assert.equal(kind('AUTH', true), 'give-up')
})

test('attempts count from 1', () => {
  assert.throws(() => decide({ attempt: 0, failure: limited(), chance: 0 }), RangeError)
})
