import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inbox } from '@rein/session'
import type { ChatRequest } from '../../src/model/chat-request.ts'
import { scriptedProvider } from '../../src/model/scripted.ts'
import type { Approval } from '../../src/tools/ports.ts'
import { calls, heldTool, stage, stopped, testTool } from './kit.ts'

test('cancelled during the first of three exclusive calls, the others never start, and all three have results', async () => {
  const ran: string[] = []
  const held = heldTool('edit1', { effects: 'some' })
  const rest = ['edit2', 'edit3'].map((name) => {
    return testTool(name, { effects: 'some', run: () => ({ kind: 'done', content: `${ran.push(name)}` }) })
  })
  let next: ChatRequest | undefined
  const answer = (request: ChatRequest) => {
    next = request
    return { text: 'ok' }
  }
  const on = await stage({ tools: [held.tool, ...rest], script: [calls('edit1', 'edit2', 'edit3'), answer] })
  const asked: string[] = []
  on.set.guardCall.guard(on.scope, 'listen', ({ call }) => void asked.push(call.name))
  await on.post('go')
  await held.begun
  await on.agent.cancel()
  assert.deepEqual([ran, asked], [[], ['edit1']])
  assert.deepEqual(on.results(), ['done', 'not-started', 'not-started'])
  assert.deepEqual(on.outcomes(), ['cancelled'])
  await on.say('so?')
  assert.equal(next?.messages.filter(({ role }) => role === 'tool').length, 3)
  assert.equal((await on.verify()).answer, 'clean')
})

test('cancelling twice is one cancel', async () => {
  const held = heldTool('hold')
  const on = await stage({ tools: [held.tool], script: [calls('hold'), { text: '1' }] })
  await on.post('go')
  await held.begun
  await Promise.all([on.agent.cancel(), on.agent.cancel()])
  await on.agent.cancel()
  assert.deepEqual(on.outcomes(), ['cancelled'])
  await on.say('go on')
  assert.deepEqual(on.outcomes(), ['cancelled', 'completed'])
})

test('text that streamed before a cancel is kept, marked interrupted, and is no failure of the provider', async () => {
  const script = [{ text: 'x'.repeat(400) }, { text: 'on' }]
  const on = await stage({ provider: scriptedProvider({ script, chunkSize: 20, chunkDelayMs: 1 }) })
  const enough = Promise.withResolvers<void>()
  let seen = 0
  on.agent.listen({
    delta: (delta) => {
      seen += delta.kind === 'text' ? delta.text.length : 0
      if (seen >= 100) enough.resolve()
    },
  })
  await on.post('go')
  await enough.promise
  await on.agent.cancel()
  const [message] = on.all('assistant/message')
  assert.equal(message?.data.interrupted, 'cancelled')
  const [block] = message?.data.content ?? []
  assert.ok(block?.type === 'text' && block.text.length >= 100 && block.text.length < 400)
  const settled = on.all('request/settled')[0]?.data
  assert.deepEqual([settled?.outcome, settled?.error], ['cancelled', null])
  assert.deepEqual(on.types('retry/scheduled'), [])
  await on.say('go on')
  assert.equal((await on.verify()).answer, 'clean')
})

test('a call cancelled in the middle of its arguments is absent from the history', async () => {
  const one = { calls: [{ name: 'look', arguments: { long: 'y'.repeat(200) } }] }
  const on = await stage({
    tools: [testTool('look')],
    provider: scriptedProvider({ script: [one, { text: 'on' }], chunkSize: 20, chunkDelayMs: 1 }),
  })
  const begun = Promise.withResolvers<void>()
  on.agent.listen({ delta: (delta) => void (delta.kind === 'arguments' && begun.resolve()) })
  await on.post('go')
  await begun.promise
  await on.agent.cancel()
  assert.deepEqual(on.types('assistant/message', 'tool/call', 'tool/result'), [])
  assert.deepEqual(on.all('request/settled')[0]?.data.dropped, [])
  await on.say('go on')
  assert.equal((await on.verify()).answer, 'clean')
})

test('cancelling an open approval counts as denied, and the call never runs', async () => {
  const ran: string[] = []
  const asked = Promise.withResolvers<AbortSignal>()
  const late = Promise.withResolvers<{ decision: 'allowed-once'; by: string }>()
  const approval: Approval = {
    needed: async () => ({ what: 'Run it?' }),
    ask: (_, signal) => {
      asked.resolve(signal)
      return late.promise
    },
  }
  const tools = [testTool('act', { effects: 'some', run: () => ({ kind: 'done', content: `${ran.push('act')}` }) })]
  const on = await stage({ tools, approval, script: [calls('act'), { text: 'on' }] })
  await on.post('go')
  const signal = await asked.promise
  await on.agent.cancel()
  late.resolve({ decision: 'allowed-once', by: 'person' })
  await on.say('go on')
  assert.ok(signal.aborted)
  assert.deepEqual(ran, [])
  assert.deepEqual(
    on.all('approval/decided').map(({ data }) => [data.decision, data.by]),
    [['unanswered', 'cancelled']],
  )
  assert.deepEqual(on.results(), ['denied'])
  assert.equal((await on.verify()).answer, 'clean')
})

test('cancelling the wait before a retry ends the turn at once, and the retry is closed as abandoned', async () => {
  const failure = { code: 'OVERLOADED', message: 'busy', retryAfterMs: 50_000 } as const
  const on = await stage({ script: [{ text: 'half', failure }, { text: 'on' }] })
  await on.post('go')
  await on.next('retry/scheduled')
  await on.agent.cancel()
  assert.deepEqual(on.outcomes(), ['cancelled'])
  assert.equal(on.all('retry/started')[0]?.data.outcome, 'abandoned')
  assert.equal(on.all('assistant/message')[0]?.data.interrupted, 'failed')
  assert.equal((await on.verify()).answer, 'clean')
})

test('what waits after a cancel is parked and shown; an inject does not release it, a followup does', async () => {
  const held = heldTool('hold')
  const on = await stage({ tools: [held.tool], script: [calls('hold'), { text: '2' }, { text: '3' }] })
  await on.post('a')
  await held.begun
  await on.post('b')
  await on.agent.cancel()
  assert.equal(on.session.log.state(inbox).parked, 'cancelled')
  await on.post('note', 'inject')
  await on.agent.whenIdle()
  assert.deepEqual(on.said(), ['a'])
  await on.say('c')
  assert.deepEqual(on.said(), ['a', 'note', 'b', 'c'])
})

test('what is posted while a cancelled turn is still ending is not parked with it', async () => {
  const told = Promise.withResolvers<void>()
  const slow = testTool('slow', {
    run: async (_, { signal }) => {
      await stopped(signal)
      await told.promise
      return { kind: 'done', content: 'stopped' }
    },
  })
  const on = await stage({ tools: [slow], script: [calls('slow'), { text: 'yes' }] })
  await on.post('a')
  await on.next('tool/call')
  const cancelled = on.agent.cancel()
  await on.post('do this instead')
  told.resolve()
  await cancelled
  await on.agent.whenIdle()
  assert.deepEqual(on.outcomes(), ['cancelled', 'completed'])
  assert.deepEqual(on.types('inbox/parked'), [])
})

test('a cancel at any moment is one cancelled turn at most, parks what waits, and never hits the next post', async () => {
  for (let ticks = 0; ticks < 120; ticks += 3) {
    const on = await stage({
      tools: [testTool('look')],
      script: [calls('look'), { text: '1' }, { text: '2' }, { text: '3' }],
    })
    await on.post('a')
    await on.post('b')
    for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
    const wasRunning = on.agent.phase === 'running'
    await on.agent.cancel()
    assert.equal(on.agent.phase, 'idle')
    const ended = on.outcomes().length
    const parked = on.session.log.state(inbox)
    if (wasRunning && parked.nextTurn.length > 0) assert.equal(parked.parked, 'cancelled', `after ${ticks} ticks`)
    await on.say('c')
    assert.ok(!on.outcomes().slice(ended).includes('cancelled'), `after ${ticks} ticks`)
    assert.equal((await on.verify()).answer, 'clean')
  }
})

test('a cancel right after a turn ended stops what waits behind it', async () => {
  for (let ticks = 0; ticks < 16; ticks++) {
    const on = await stage({ script: [{ text: '1', delayMs: 1 }, { text: '2' }, { text: '3' }] })
    await on.post('a')
    await on.post('b')
    await on.next('turn/end')
    for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
    await on.agent.cancel()
    const { nextTurn, parked } = on.session.log.state(inbox)
    assert.equal(on.all('assistant/message').length, 1, `after ${ticks} ticks`)
    if (nextTurn.length > 0) assert.equal(parked, 'cancelled', `after ${ticks} ticks`)
    await on.say('c')
    assert.equal(on.outcomes().at(-1), 'completed')
  }
})

test('a call that a guard looks at when the turn is cancelled was not started', async () => {
  const on = await stage({ tools: [testTool('act', { effects: 'some' })], script: [calls('act'), { text: 'on' }] })
  on.set.guardCall.guard(on.scope, 'stop', () => void on.agent.cancel())
  await on.say('go')
  assert.deepEqual(on.results(), ['not-started'])
  assert.deepEqual(on.types('tool/call'), [])
})

test('a cancel while a plugin looks at the end of the turn still cancels', async () => {
  const on = await stage({ script: [{ text: '1' }, { text: '2' }] })
  on.hooks.turnStopping.wrap(on.scope, 'slow', async (input, next) => {
    void on.agent.cancel()
    return next(input)
  })
  await on.post('a')
  await on.post('b')
  await on.agent.whenIdle()
  assert.deepEqual(on.outcomes(), ['cancelled'])
  assert.equal(on.session.log.state(inbox).parked, 'cancelled')
})
