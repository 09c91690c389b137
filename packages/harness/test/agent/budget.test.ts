import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inbox } from '@rein/session'
import { calls, heldTool, stage, testTool } from './kit.ts'

test('a turn takes as many steps as it may, then ends as budget; the calls it ran are reported in the next turn', async () => {
  const script = [calls('look'), calls('look'), { text: 'on' }]
  const on = await stage({ tools: [testTool('look')], steps: 2, script })
  await on.say('go')
  const end = on.all('turn/end')[0]?.data
  assert.equal(end?.outcome, 'budget')
  assert.equal(end?.error?.code, 'STEPS')
  assert.equal(on.all('step/start').length, 2)
  await on.say('go on')
  assert.deepEqual(on.outcomes(), ['budget', 'completed'])
  assert.equal((await on.verify()).answer, 'clean')
})

test('input that waits when the budget ends is parked, not claimed and left unanswered', async () => {
  const held = heldTool('hold')
  const on = await stage({ tools: [held.tool], steps: 1, script: [calls('hold'), { text: 'yes' }] })
  await on.post('go')
  await held.begun
  await on.post('and this', 'steer')
  held.release()
  await on.agent.whenIdle()
  assert.deepEqual(on.said(), ['go'])
  assert.equal(on.session.log.state(inbox).parked, 'budget')
  await on.say('now')
  assert.deepEqual(on.said(), ['go', 'and this', 'now'])
})
