import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Json, MemoryStore } from '@rein/session'
import { nodeHasher } from '../../src/store/hasher.ts'
import type { Approval } from '../../src/tools/ports.ts'
import { countingPorts, logBytes, recordingStore, stage, stopped, testTool } from '../agent/kit.ts'

const asks = (answer: Approval['ask']): Approval => ({ needed: async () => ({ what: 'Run it?' }), ask: answer })
const twoSteps = (name: string, args: Json = {}) => [{ calls: [{ name, arguments: args }] }, { text: 'ok' }]

test('a call goes through validation, guards, approval, its record, wrappers and its run, in this order', async () => {
  const order: string[] = []
  const act = testTool('act', {
    parse: () => {
      order.push('validate')
      return []
    },
    run: () => ({ kind: 'done', content: `${order.push('run')}` }),
  })
  const approval = asks(async () => {
    order.push('approval')
    return { decision: 'allowed-once', by: 'person' }
  })
  const on = await stage({ tools: [act], approval, script: twoSteps('act') })
  on.session.log.onLine((_, { type }) => void (type.startsWith('tool/') && order.push(type)))
  on.set.guardCall.guard(on.scope, 'guard', () => void order.push('guard'))
  on.set.aroundCall.wrap(on.scope, 'around', async (call, next) => {
    order.push('around')
    const output = await next(call)
    order.push('back')
    return output
  })
  await on.say('go')
  assert.deepEqual(order, [
    ...['validate', 'guard', 'approval', 'tool/call'],
    ...['around', 'run', 'back', 'tool/result'],
  ])
})

test('tool/call is synced before a call with side effects runs', async () => {
  const order: string[] = []
  const act = testTool('act', { effects: 'some', run: () => ({ kind: 'done', content: `${order.push('run')}` }) })
  const on = await stage({ store: recordingStore(order), tools: [act], script: twoSteps('act') })
  await on.say('go')
  const at = order.indexOf('write tool/call')
  assert.deepEqual(order.slice(at, at + 3), ['write tool/call', 'sync', 'run'])
})

test('tool/call is written, and not synced, before a call that only reads runs', async () => {
  const order: string[] = []
  const look = testTool('look', { run: () => ({ kind: 'done', content: `${order.push('run')}` }) })
  const on = await stage({ store: recordingStore(order), tools: [look], script: twoSteps('look') })
  await on.say('go')
  const at = order.indexOf('write tool/call')
  assert.deepEqual(order.slice(at, at + 2), ['write tool/call', 'run'])
})

test('a write that fails stops the turn before the side effect, and the cause is shown', async () => {
  const dry = await stage({ tools: [testTool('act', { effects: 'some' })], script: twoSteps('act') })
  await dry.say('go')
  const bytes = (await logBytes(dry.store, dry.session.id)).toString()
  const upTo = bytes.split('\n').findIndex((line) => line.includes('"type":"tool/call"'))
  const failAfterBytes = Buffer.byteLength(bytes.split('\n').slice(0, upTo).join('\n')) + 10
  const ran: string[] = []
  const store = new MemoryStore({ hasher: nodeHasher, now: () => 0, failAfterBytes })
  const act = testTool('act', { effects: 'some', run: () => ({ kind: 'done', content: `${ran.push('act')}` }) })
  const on = await stage({ store, ports: countingPorts(), tools: [act], script: twoSteps('act') })
  await on.say('go')
  assert.deepEqual(ran, [])
  assert.equal(on.agent.failure?.code, 'LOG_WRITE')
  assert.match(on.agent.failure?.message ?? '', /byte limit/)
  await assert.rejects(on.post('more'), /byte limit/)
})

for (const [what, guard] of [
  ['throws', () => Promise.reject(new Error('oops'))],
  ['refuses', () => 'not here'],
] as const)
  test(`a guard that ${what} keeps the call from running; the model is told, and the turn goes on`, async () => {
    const ran: string[] = []
    const act = testTool('act', { run: () => ({ kind: 'done', content: `${ran.push('act')}` }) })
    const on = await stage({ tools: [act], script: twoSteps('act') })
    on.set.guardCall.guard(on.scope, 'watch', guard)
    await on.say('go')
    assert.deepEqual(ran, [])
    assert.deepEqual(on.results(), ['denied'])
    assert.match(on.resultTexts()[0] ?? '', /denied by watch: .*(oops|not here)/)
    assert.deepEqual(on.types('tool/call'), [])
    assert.deepEqual(on.outcomes(), ['completed'])
  })

for (const [what, by, answer] of [
  ['a no', 'person', async () => ({ decision: 'denied', by: 'person', words: 'rather not' })],
  ['no answer', 'timeout', async () => ({ decision: 'unanswered', by: 'timeout' })],
  ['an exception', 'error', () => Promise.reject(new Error('the dialog broke'))],
] as const satisfies readonly (readonly [string, string, Approval['ask']])[])
  test(`${what} is a no: the call does not run`, async () => {
    const ran: string[] = []
    const act = testTool('act', { run: () => ({ kind: 'done', content: `${ran.push('act')}` }) })
    const on = await stage({ tools: [act], approval: asks(answer), script: twoSteps('act') })
    await on.say('go')
    assert.deepEqual(ran, [])
    assert.deepEqual(on.results(), ['denied'])
    assert.deepEqual(
      on.all('approval/decided').map(({ data }) => data.by),
      [by],
    )
    assert.deepEqual(on.outcomes(), ['completed'])
    assert.equal((await on.verify()).answer, 'clean')
  })

test('a guard that takes too long refuses', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const on = await stage({ tools: [testTool('act')], script: twoSteps('act') })
  const asked = Promise.withResolvers<void>()
  on.set.guardCall.guard(on.scope, 'slow', () => {
    asked.resolve()
    return new Promise(() => undefined)
  })
  await on.post('go')
  await asked.promise
  await new Promise((resolve) => setImmediate(resolve))
  t.mock.timers.tick(30_000)
  await on.agent.whenIdle()
  assert.deepEqual(on.results(), ['denied'])
  assert.match(on.resultTexts()[0] ?? '', /denied by slow: .*30000 ms/)
})

test('when it cannot be found out whether a call needs an answer, the call does not run', async () => {
  const approval: Approval = {
    needed: () => Promise.reject(new Error('no rules')),
    ask: async () => ({ decision: 'allowed-once', by: 'x' }),
  }
  const on = await stage({ tools: [testTool('act')], approval, script: twoSteps('act') })
  await on.say('go')
  assert.deepEqual(on.results(), ['denied'])
  assert.match(on.resultTexts()[0] ?? '', /no rules/)
})

for (const [answer, result] of [
  ['allowed-once', 'done'],
  ['denied', 'denied'],
  ['yes', 'denied'],
] as const)
  test(`an answer posted by another process counts when it comes first: ${answer} is ${result}`, async () => {
    const withdrawn = Promise.withResolvers<void>()
    const approval = asks(async (_, signal) => {
      await stopped(signal)
      withdrawn.resolve()
      return { decision: 'allowed-once', by: 'late' }
    })
    const on = await stage({ tools: [testTool('act')], approval, script: twoSteps('act') })
    await on.post('go')
    const { data } = await on.next('approval/asked')
    await on.store.post(on.session.id, { kind: 'answer', id: 'a1', to: data.id, answer, by: 'web' })
    await on.agent.drain()
    await on.agent.whenIdle()
    await withdrawn.promise
    assert.deepEqual(on.results(), [result])
    assert.equal(on.all('approval/decided')[0]?.data.by, 'web')
  })

for (const [what, call, expected] of [
  ['a tool that does not exist', { name: 'nope', arguments: {} }, /\[UNKNOWN_TOOL\].*"nope".*\n.*act/],
  ['arguments that are no JSON', { name: 'act', arguments: '{"a":' }, /\[INVALID_ARGUMENTS\].*not valid JSON/],
  ['arguments of the wrong type', { name: 'act', arguments: { n: 'x' } }, /\[INVALID_ARGUMENTS\] `n` must be a number/],
  ['a tool that throws on its arguments', { name: 'odd', arguments: {} }, /\[TOOL_FAILED\] odd failed before it ran/],
] as const)
  test(`${what}: a result the model can act on, and the turn goes on`, async () => {
    const parse = (value: unknown) => (JSON.stringify(value).includes('x') ? ['`n` must be a number; got "x".'] : [])
    const odd = { ...testTool('odd'), title: () => JSON.parse('no') }
    const on = await stage({ tools: [testTool('act', { parse }), odd], script: [{ calls: [call] }, { text: 'ok' }] })
    await on.say('go')
    assert.deepEqual(on.results(), ['failed'])
    assert.match(on.resultTexts()[0] ?? '', expected)
    assert.deepEqual(on.types('tool/call'), [])
    assert.deepEqual(on.outcomes(), ['completed'])
    assert.equal((await on.verify()).answer, 'clean')
  })
