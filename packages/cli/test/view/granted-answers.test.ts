import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GrantedAnswers } from '../../src/view/granted-answers.ts'
import { event } from './events.ts'

const grant = event('permission/grant', { id: 'g', rule: 'npm test', scope: 'session', by: 'person' })
const yes = event('approval/decided', { id: 'a', decision: 'allowed-once', by: 'person' })
const no = event('approval/decided', { id: 'a', decision: 'denied', by: 'person' })

test('a yes that came with a grant for the session is told by the grant alone, every other answer by itself', () => {
  const answers = new GrantedAnswers()
  const told = (...events: Parameters<GrantedAnswers['repeats']>[0][]) => events.map((each) => !answers.repeats(each))
  assert.deepEqual(told(yes, grant, yes, yes), [true, true, false, true])
  assert.deepEqual(told(grant, no, yes), [true, true, true])
  const revoked = event('permission/grant', { ...grant.data, revoked: true })
  assert.deepEqual(told(revoked, yes), [true, true])
})
