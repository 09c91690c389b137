import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fold, type SessionEvent } from '@rein/session'
import { isGranted, sessionGrants } from '../../src/ask/grants.ts'

const base = { time: 0, hash: '' }
const grant = (
  [seq, id]: readonly [number, string],
  rule: string,
  more: { revoked?: boolean; scope?: 'user' | 'session' } = {},
) =>
  ({
    ...base,
    seq,
    type: 'permission/grant',
    data: { id, rule, scope: 'session', by: 'person', ...more },
  }) satisfies SessionEvent

const granted = (events: readonly SessionEvent[], command: string) => isGranted(fold(sessionGrants, events), command)

test('a session grant covers the very command it was given for, until it is revoked', () => {
  const events = [grant([0, 'g1'], 'npm test')]
  assert.equal(granted(events, 'npm test'), true)
  assert.equal(granted(events, 'npm test; rm x'), false)
  assert.equal(granted([...events, grant([1, 'g1'], 'npm test', { revoked: true })], 'npm test'), false)
})

test('a grant of another scope is not one of the session', () => {
  assert.equal(granted([grant([0, 'g1'], 'npm test', { scope: 'user' })], 'npm test'), false)
})

test('a rewind takes no grant back, and a fork starts without any', () => {
  const rewound: SessionEvent = { ...base, seq: 2, type: 'session/rewound', data: { to: 0, by: 'person' } }
  const fork: SessionEvent = {
    ...base,
    seq: 3,
    type: 'session/fork',
    data: { id: 's2', parent: 's1', at: 1, hash: '' },
  }
  const events = [grant([0, 'g0'], 'x'), grant([1, 'g1'], 'npm test'), rewound]
  assert.equal(granted(events, 'npm test'), true)
  assert.equal(granted([...events, fork], 'npm test'), false)
})

test('an event that changes nothing gives back the same state', () => {
  const state = fold(sessionGrants, [grant([0, 'g1'], 'npm test')])
  assert.equal(sessionGrants.step(state, grant([1, 'g9'], 'x', { revoked: true })), state)
})
