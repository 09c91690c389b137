import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inbox } from '@rein/session'
import { calls, recordingStore, stage, testTool } from './kit.ts'

test('admit refuses a step: the input leaves, the turn is blocked, and the next followup starts by itself', async () => {
  const on = await stage({ script: [{ text: 'ok' }] })
  on.hooks.admit.wrap(on.scope, 'strict', async (gate, next) => {
    const bad = gate.claimed.some(({ content }) => JSON.stringify(content).includes('bad'))
    return bad ? { kind: 'refused', by: 'strict', reason: 'not that' } : next(gate)
  })
  await on.agent.maintain(async () => {
    await on.post('bad')
    await on.post('good')
  })
  await on.agent.whenIdle()
  assert.deepEqual(on.outcomes(), ['blocked', 'completed'])
  assert.match(on.all('turn/end')[0]?.data.error?.message ?? '', /strict refused this input: not that/)
  assert.deepEqual(on.said(), ['good'])
  assert.equal((await on.verify()).answer, 'clean')
})

test('admit rewrites what is said; the item stays what it was', async () => {
  const on = await stage({ script: [{ text: 'ok' }] })
  on.hooks.admit.wrap(on.scope, 'loud', (gate, next) => {
    const claimed = gate.claimed.map(({ item }) => ({ item, content: [{ type: 'text', text: 'HI' }] as const }))
    return next({ ...gate, claimed })
  })
  const id = await on.post('hi')
  await on.agent.whenIdle()
  assert.deepEqual(on.said(), ['HI'])
  assert.equal(on.all('user/message')[0]?.data.item, id)
})

test('input that says nothing sends no request, and what waits behind it starts by itself', async () => {
  const on = await stage({ script: [{ text: 'ok' }] })
  await on.agent.maintain(async () => {
    await on.post('  \n ')
    await on.post('hi')
  })
  await on.agent.whenIdle()
  assert.deepEqual(on.said(), ['hi'])
  assert.equal(on.all('request/sent').length, 1)
  assert.deepEqual(on.outcomes(), ['completed', 'completed'])
  assert.equal((await on.verify()).answer, 'clean')
})

test('a steer that a plugin takes out whole does not make the model speak again', async () => {
  const on = await stage({ script: [{ text: 'one', delayMs: 5 }, { text: 'two' }] })
  on.hooks.admit.wrap(on.scope, 'eater', (gate, next) => {
    return next({ ...gate, claimed: gate.claimed.filter(({ item }) => item.delivery === 'followup') })
  })
  await on.post('go')
  await on.next('request/sent')
  await on.post('psst', 'steer')
  await on.agent.whenIdle()
  assert.equal(on.all('request/sent').length, 1)
  assert.deepEqual(on.session.log.state(inbox).nextStep, [])
})

test('a wrapper of the request may mend a failure: the same step sends again', async () => {
  const failure = { code: 'CONTEXT_WINDOW_EXCEEDED', message: 'too long' } as const
  const on = await stage({ script: [{ failure }, { text: 'ok' }] })
  on.hooks.aroundRequest.wrap(on.scope, 'compact', async (run, next) => {
    const outcome = await next(run)
    return outcome.kind === 'failed' ? { kind: 'retry', failure: outcome.failure } : outcome
  })
  await on.say('go')
  assert.equal(on.all('step/start').length, 1)
  assert.equal(on.all('retry/scheduled')[0]?.data.error.code, 'CONTEXT_WINDOW_EXCEEDED')
  assert.deepEqual(on.outcomes(), ['completed'])
  assert.equal((await on.verify()).answer, 'clean')
})

test('a wrapper that always asks to try again is stopped by the attempts of a step', async () => {
  const failure = { code: 'AUTH', message: 'no' } as const
  const on = await stage({ script: Array.from({ length: 20 }, () => ({ failure })) })
  on.hooks.aroundRequest.wrap(on.scope, 'stubborn', async (run, next) => {
    await next(run)
    return { kind: 'retry', failure }
  })
  await on.say('go')
  assert.equal(on.all('request/sent').length, 7)
  assert.deepEqual(on.outcomes(), ['error'])
})

test('input posted while the turn is stopping makes it go on', async () => {
  const on = await stage({ script: [{ text: '1' }, { text: '2' }] })
  let once = true
  on.hooks.turnStopping.wrap(on.scope, 'again', async (stopping, next) => {
    if (once) await on.post('really?', 'steer')
    once = false
    return next(stopping)
  })
  await on.say('go')
  assert.equal(on.all('turn/start').length, 1)
  assert.deepEqual(on.said(), ['go', 'really?'])
  assert.deepEqual(on.outcomes(), ['completed'])
})

test('onEvent hears every event in order, each once it is written', async () => {
  const order: string[] = []
  const on = await stage({ store: recordingStore(order), script: [{ text: 'ok' }] })
  const heard: number[] = []
  on.hooks.onEvent.on(on.scope, (event) => {
    assert.ok(order.includes(`write ${event.type}`), `${event.type} was told before it was written`)
    heard.push(event.seq)
  })
  await on.say('go')
  const all = on.events.map(({ seq }) => seq)
  assert.deepEqual(heard, all.slice(all.indexOf(heard[0] ?? -1)))
  assert.ok(heard.length > 5)
})

for (const point of ['admit', 'aroundRequest', 'turnStopping'] as const)
  test(`a hook that throws at ${point} ends its turn as error with everything closed, and the session goes on`, async () => {
    const on = await stage({ tools: [testTool('look')], script: [calls('look'), { text: '1' }, { text: '2' }] })
    let once = true
    const broken = async <I, O>(input: I, next: (input: I) => Promise<O>): Promise<O> => {
      const result = await next(input)
      if (once) {
        once = false
        throw new Error('a bug')
      }
      return result
    }
    if (point === 'admit') on.hooks.admit.wrap(on.scope, 'broken', broken)
    else if (point === 'aroundRequest') on.hooks.aroundRequest.wrap(on.scope, 'broken', broken)
    else on.hooks.turnStopping.wrap(on.scope, 'broken', broken)
    await on.say('go')
    const end = on.all('turn/end')[0]?.data
    assert.equal(end?.outcome, 'error')
    assert.match(end?.error?.message ?? '', /a bug/)
    await on.say('again')
    assert.deepEqual(on.violations(), [])
    assert.equal(on.outcomes().at(-1), 'completed')
  })

test('a turn that breaks off leaves alone what may outlive it', async () => {
  const on = await stage({ script: [{ text: '1' }] })
  on.session.log.append('job/start', { id: 'job-1', kind: 'command', label: 'serve' })
  on.hooks.aroundRequest.wrap(on.scope, 'broken', async () => {
    throw new Error('a bug')
  })
  await on.say('go')
  assert.deepEqual(on.outcomes(), ['error'])
  assert.deepEqual(on.types('job/end'), [])
})
