import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Chunk } from '../../src/model/chunk.ts'
import type { Provider } from '../../src/model/provider.ts'
import { scriptedProvider } from '../../src/model/scripted.ts'
import { countingPorts, recordingStore, stage } from './kit.ts'

const facts: Provider['facts'] = (model) => scriptedProvider({ script: [] }).facts(model)

/** A provider with a stream of its own. */
const streaming = (stream: () => AsyncGenerator<Chunk>): Provider => {
  return { name: 'scripted', dialect: 'openai-chat', facts, stream }
}

const whole: readonly Chunk[] = [
  { kind: 'text', block: 0, text: 'ok' },
  { kind: 'finish', finish: { reason: 'stop', raw: 'stop' } },
]

test('request/sent is written before the bytes leave, and the header it names stands before it', async () => {
  const order: string[] = []
  const provider = streaming(async function* () {
    order.push('sent')
    yield* whole
  })
  const on = await stage({ store: recordingStore(order), provider })
  await on.say('go')
  const at = order.indexOf('sent')
  assert.ok(at > 0 && order.slice(0, at).includes('write request/sent'))
  assert.deepEqual(
    order.slice(0, at).filter((line) => line.includes('request/')),
    ['write request/header', 'write request/sent'],
  )
})

test('the header is appended once, and again only when something in it changed', async () => {
  const on = await stage({ script: [{ text: '1' }, { text: '2' }, { text: '3' }] })
  await on.say('a')
  await on.say('b')
  assert.equal(on.all('request/header').length, 1)
  on.agent.model = { provider: 'scripted', model: 'other' }
  await on.say('c')
  assert.equal(on.all('request/header').length, 2)
  assert.deepEqual(on.all('request/sent')[2]?.data.broke?.owner, 'header')
  assert.equal((await on.verify()).answer, 'clean')
})

test('a provider that does not listen to a cancel cannot hold it up; what it said so far is kept', async () => {
  const said = Promise.withResolvers<void>()
  const provider = streaming(async function* () {
    yield { kind: 'text', block: 0, text: 'so far' }
    said.resolve()
    await new Promise(() => undefined)
  })
  const on = await stage({ provider })
  await on.post('go')
  await said.promise
  await on.agent.cancel()
  assert.deepEqual(on.outcomes(), ['cancelled'])
  assert.deepEqual(on.all('assistant/message')[0]?.data.content, [{ type: 'text', text: 'so far' }])
  assert.equal((await on.verify()).answer, 'clean')
})

test('a failure that a provider makes of being cancelled is no failure', async () => {
  const provider = streaming(async function* () {
    yield { kind: 'text', block: 0, text: 'so far' }
    void on.agent.cancel()
    yield { kind: 'failed', failure: { code: 'NETWORK', message: 'aborted' } }
  })
  const on = await stage({ provider })
  await on.say('go')
  const { outcome, error } = on.all('request/settled')[0]?.data ?? {}
  assert.deepEqual([outcome, error], ['cancelled', null])
  assert.equal(on.all('assistant/message')[0]?.data.interrupted, 'cancelled')
})

test('after a resume the next request is compared with the last one before it: what moved the front is named', async () => {
  const first = await stage({ script: [{ text: '1' }] })
  await first.say('a')
  await first.close()
  const on = await stage({
    store: first.store,
    resume: first.session.id,
    ports: countingPorts(1000),
    script: [{ text: '2' }, { text: '3' }],
  })
  on.agent.model = { provider: 'scripted', model: 'other' }
  await on.say('b')
  on.agent.model = { provider: 'scripted', model: 'other' }
  await on.say('c')
  assert.deepEqual(
    on.all('request/sent').map(({ data }) => data.broke?.owner),
    [undefined, 'header', undefined],
  )
  assert.equal((await on.verify()).answer, 'clean')
})

test('a provider that throws ends the turn as error with its request settled', async () => {
  let calls = 0
  const provider = streaming(async function* () {
    if (calls++ === 0) throw new Error('a bug')
    yield* whole
  })
  const on = await stage({ provider })
  await on.say('go')
  await on.say('again')
  assert.deepEqual(on.outcomes(), ['error', 'completed'])
  assert.equal((await on.verify()).answer, 'clean')
})

test('input that a plugin still looks at when the turn is cancelled is not claimed', async () => {
  const on = await stage({ script: [{ text: 'ok' }] })
  const gate = Promise.withResolvers<void>()
  const looking = Promise.withResolvers<void>()
  on.hooks.admit.wrap(on.scope, 'slow', async (claimed, next) => {
    looking.resolve()
    await gate.promise
    return next(claimed)
  })
  await on.post('go')
  await looking.promise
  const cancelled = on.agent.cancel()
  gate.resolve()
  await cancelled
  assert.deepEqual(on.said(), [])
  assert.deepEqual(
    on.all('inbox/parked').map(({ data }) => data.reason),
    ['cancelled'],
  )
})

test('a turn that was cancelled sends nothing more, a retry included', async () => {
  const on = await stage({ script: [{ failure: { code: 'SERVER_ERROR', message: 'no' } }, { text: 'no' }] })
  on.hooks.aroundRequest.wrap(on.scope, 'stop', async (run, next) => {
    const outcome = await next(run)
    void on.agent.cancel()
    return outcome
  })
  await on.say('go')
  assert.equal(on.all('request/sent').length, 1)
  assert.deepEqual(on.outcomes(), ['cancelled'])
})
