import assert from 'node:assert/strict'
import test from 'node:test'
import type { SessionEntry } from '@rein/session'
import { findSession } from '../../src/store/find.ts'

const entry = (id: string, state: SessionEntry['state']): SessionEntry => ({
  id,
  cwd: '/a',
  bytes: 1,
  changed: 1,
  state,
})

test('the last session is one that can be opened; where none can, they are named and the doctor is', () => {
  const broken = ['ses_a', 'ses_b'].map((id) => entry(id, 'broken'))
  const last = findSession([...broken, entry('ses_c', 'free')], 'last', '/a')
  assert.equal(last.ok && last.value.id, 'ses_c')
  assert.deepEqual(findSession(broken, 'last', '/a'), {
    ok: false,
    failure: {
      code: 'SESSION_DAMAGED',
      message: 'none of the sessions can be opened: ses_a, ses_b',
      next: '`rein doctor` says what is wrong with each.',
    },
  })
  const none = findSession([], 'last', '/a')
  assert.equal(none.ok || none.failure.code, 'SESSION_MISSING')
})
