import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openaiProvider } from '../../src/model/openai-provider.ts'
import type { ScriptEntry } from '../../src/model/scripted.ts'
import { type Answer, errorBody, type MockServer, mockServer } from '../../src/testing/mock-server.ts'
import { type Stage, type StageOptions, stage } from './kit.ts'

const event = (choice: object) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }] })}\n\n`
const saying = (text: string) => event({ delta: { role: 'assistant', content: text }, finish_reason: null })
const whole = (text: string): Answer => ({
  body: [saying(text), event({ delta: {}, finish_reason: 'stop' }), 'data: [DONE]\n\n'],
})

/** A turn against a server on loopback that plays these answers. */
async function served(answers: readonly Answer[], more: StageOptions = {}): Promise<[Stage, MockServer]> {
  const server = await mockServer({ script: answers })
  const provider = openaiProvider({ name: 'scripted', baseUrl: server.baseUrl, key: { kind: 'none' } })
  const on = await stage({ provider, ...more })
  await on.say('go')
  await server.close()
  return [on, server]
}

const failing = (code: 'RATE_LIMITED' | 'SERVER_ERROR' | 'AUTH', more: object = {}): ScriptEntry => ({
  failure: { code, message: 'no', ...more },
})

for (const ending of ['end', 'reset', 'close'] as const)
  test(`a stream that stops without a finish is retried in the same step (socket: ${ending})`, async () => {
    const [on, server] = await served([{ body: [saying('half')], ending }, whole('all of it')])
    assert.equal(server.received.length, 2)
    assert.deepEqual(on.types('step/start', 'retry/scheduled', 'retry/started', 'turn/end'), [
      'step/start',
      'retry/scheduled',
      'retry/started',
      'turn/end',
    ])
    assert.deepEqual(on.outcomes(), ['completed'])
    assert.deepEqual(
      on.all('assistant/message').map(({ data }) => data.content),
      [[{ type: 'text', text: 'all of it' }]],
    )
    assert.equal((await on.verify()).answer, 'clean')
  })

test('an empty 200 is retried', async () => {
  const [on] = await served([{ body: [] }, { body: ['data: [DONE]\n\n'] }, whole('now')])
  assert.deepEqual(on.outcomes(), ['completed'])
  assert.equal(on.all('retry/scheduled').length, 2)
})

test('a reply that finishes with nothing in it is retried', async () => {
  const on = await stage({ script: [{ text: '' }, { text: 'now' }] })
  await on.say('go')
  assert.equal(on.all('request/settled')[0]?.data.error?.code, 'EMPTY_RESPONSE')
  assert.deepEqual(on.outcomes(), ['completed'])
})

test('Retry-After is a lower bound of the wait', async () => {
  const headers = { 'content-type': 'application/json', 'retry-after-ms': '40' }
  const busy = { status: 429, headers, body: [errorBody('slow down', 'rate_limit')] }
  const before = performance.now()
  const [on] = await served([busy, whole('now')])
  assert.ok(performance.now() - before >= 39)
  assert.equal(on.all('retry/scheduled')[0]?.data.waitMs, 40)
  assert.deepEqual(on.outcomes(), ['completed'])
})

test('a long Retry-After is waited out when it is allowed', async () => {
  const on = await stage({
    script: [failing('RATE_LIMITED', { retryAfterMs: 300_000 }), { text: 'now' }],
    maxWaitMs: 600_000,
  })
  await on.post('go')
  const { data } = await on.next('retry/scheduled')
  assert.equal(data.waitMs, 300_000)
  await on.agent.cancel()
})

test('a wait longer than allowed is not begun: the turn ends at once, the time named', async () => {
  const on = await stage({ script: [failing('RATE_LIMITED', { retryAfterMs: 120_000 })], maxWaitMs: 60_000 })
  await on.say('go')
  const error = on.all('turn/end')[0]?.data.error
  assert.equal(error?.code, 'RATE_LIMITED')
  assert.match(error?.message ?? '', /2 min/)
  assert.deepEqual(on.types('retry/scheduled'), [])
})

test('a failure that no retry mends ends the turn at once', async () => {
  const on = await stage({ script: [failing('AUTH'), { text: 'no' }] })
  await on.say('go')
  assert.equal(on.all('request/sent').length, 1)
  assert.deepEqual(on.outcomes(), ['error'])
})

test('after seven attempts the turn ends as error, every attempt settled, in one step of one turn', async () => {
  const on = await stage({ script: Array.from({ length: 9 }, () => failing('SERVER_ERROR')) })
  await on.say('go')
  assert.equal(on.all('request/settled').length, 7)
  assert.equal(on.all('step/start').length, 1)
  assert.equal(on.all('turn/start').length, 1)
  assert.equal((await on.verify()).answer, 'clean')
})

test('text streamed before the final failure is kept as an interrupted message', async () => {
  const parts = { text: 'as far as I got', calls: [{ name: 'look', arguments: {} }] }
  const on = await stage({ script: [{ ...parts, failure: { code: 'AUTH', message: 'key expired' } }, { text: 'on' }] })
  await on.say('go')
  const kept = on.all('assistant/message')[0]?.data
  assert.deepEqual(kept?.content, [{ type: 'text', text: 'as far as I got' }])
  assert.equal(kept?.interrupted, 'failed')
  await on.say('go on')
  assert.deepEqual(on.outcomes(), ['error', 'completed'])
  assert.equal((await on.verify()).answer, 'clean')
})

test('the text of an attempt that is retried is not said twice', async () => {
  const on = await stage({ script: [{ text: 'half', finish: null }, { text: 'whole' }] })
  await on.say('go')
  assert.equal(on.all('assistant/message').length, 1)
})

test('what waits after an error is parked and shown, and the next waking post releases all of it', async () => {
  const on = await stage({
    script: [{ failure: { code: 'AUTH', message: 'no' }, delayMs: 5 }, { text: '2' }, { text: '3' }],
  })
  await on.post('a')
  await on.post('b')
  await on.agent.whenIdle()
  assert.deepEqual(
    on.all('inbox/parked').map(({ data }) => data.reason),
    ['error'],
  )
  await on.post('note', 'inject')
  assert.equal(on.agent.phase, 'idle')
  await on.say('c')
  assert.deepEqual(on.said(), ['a', 'note', 'b', 'c'])
  assert.deepEqual(on.outcomes(), ['error', 'completed', 'completed'])
})

test('a provider that is not there is told, and nothing is sent', async () => {
  const on = await stage()
  on.agent.model = { provider: 'elsewhere', model: 'm' }
  await on.say('go')
  assert.equal(on.all('turn/end')[0]?.data.error?.code, 'NO_PROVIDER')
  assert.deepEqual(on.types('request/sent'), [])
})
