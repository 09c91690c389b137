import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest } from '../../src/model/chat-request.ts'
import { calls, stage, testTool } from './kit.ts'

const cut = (name: string, text = '') => ({ text, calls: [{ name, arguments: { whole: true } }], finish: 'length' })

test('a reply cut by the token limit runs no call, even when its arguments parse', async () => {
  const ran: string[] = []
  const look = testTool('look', { run: () => ({ kind: 'done', content: `${ran.push('look')}` }) })
  const on = await stage({ tools: [look], script: [cut('look', 'so far'), { text: 'done' }] })
  await on.say('go')
  assert.deepEqual(ran, [])
  assert.deepEqual(on.results(), [])
  assert.equal(on.all('request/settled')[0]?.data.dropped[0]?.name, 'look')
  assert.deepEqual(on.outcomes(), ['completed'])
  assert.equal((await on.verify()).answer, 'clean')
})

test('model and person are told which calls of a cut reply did not run', async () => {
  const heard: string[] = []
  const answer = (request: ChatRequest) => {
    heard.push(JSON.stringify(request.messages.at(-1)))
    return { text: 'smaller then' }
  }
  const on = await stage({ tools: [testTool('look')], script: [cut('look'), answer] })
  await on.say('go')
  assert.match(heard.join(), /token limit[^"]*not run[^"]*look/)
  const note = on.all('user/message').at(-1)
  assert.deepEqual(note?.data.source, { kind: 'context', name: 'token-limit' })
})

test('the step after a cut reply runs and reports its calls', async () => {
  const on = await stage({ tools: [testTool('look')], script: [cut('look'), calls('look'), { text: 'done' }] })
  await on.say('go')
  assert.deepEqual(on.results(), ['done'])
  assert.deepEqual(on.outcomes(), ['completed'])
  assert.equal((await on.verify()).answer, 'clean')
})

test('two cut replies in a row go on, and a third ends the turn as max-tokens', async () => {
  const on = await stage({ tools: [testTool('look')], script: [cut('look'), cut('look'), cut('look'), { text: 'no' }] })
  await on.say('go')
  assert.equal(on.all('request/sent').length, 3)
  assert.deepEqual(on.outcomes(), ['max-tokens'])
  assert.equal((await on.verify()).answer, 'clean')
})

test('a whole reply between cut ones starts the count again', async () => {
  const script = [cut('look'), cut('look'), calls('look'), cut('look'), cut('look'), { text: 'done' }]
  const on = await stage({ tools: [testTool('look')], script })
  await on.say('go')
  assert.deepEqual(on.outcomes(), ['completed'])
})

test('a cut reply without a call ends the turn as max-tokens at once, its text kept', async () => {
  const on = await stage({ script: [{ text: 'half a sent', finish: 'length' }, { text: 'no' }] })
  await on.say('go')
  assert.equal(on.all('request/sent').length, 1)
  assert.deepEqual(on.outcomes(), ['max-tokens'])
  assert.deepEqual(on.all('assistant/message')[0]?.data.content, [{ type: 'text', text: 'half a sent' }])
})

test('after max-tokens the next followup starts at once', async () => {
  const on = await stage({ script: [{ text: 'half', finish: 'length', delayMs: 5 }, { text: 'two' }] })
  await on.post('a')
  await on.post('b')
  await on.agent.whenIdle()
  assert.deepEqual(on.outcomes(), ['max-tokens', 'completed'])
  assert.deepEqual(on.types('inbox/parked'), [])
})
