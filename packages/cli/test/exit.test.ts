import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exitOf } from '../src/exit.ts'

const answered = { denied: false, answered: true }

test('each outcome has its exit code', () => {
  const codes = {
    completed: 0,
    error: 1,
    interrupted: 1,
    blocked: 3,
    budget: 4,
    'max-tokens': 5,
    cancelled: 130,
  } as const
  for (const outcome of Object.keys(codes) as (keyof typeof codes)[]) {
    assert.equal(exitOf({ outcome, ...answered }), codes[outcome], outcome)
  }
})

test('where several apply, a signal comes before an error, an error before a budget, and a denial last', () => {
  assert.equal(exitOf({ outcome: 'error', ...answered, signal: 'SIGTERM' }), 143)
  assert.equal(exitOf({ outcome: 'error', denied: true, answered: true }), 1)
  assert.equal(exitOf({ outcome: 'budget', denied: true, answered: true }), 4)
  assert.equal(exitOf({ outcome: 'max-tokens', denied: true, answered: true }), 5)
  assert.equal(exitOf({ outcome: 'completed', denied: true, answered: true }), 3)
})

test('a turn that completed without an answer is no success', () => {
  assert.equal(exitOf({ outcome: 'completed', denied: false, answered: false }), 1)
})
