import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inbox } from '@rein/session'
import { calls, heldTool, stage } from './kit.ts'

test('a followup starts a turn, and the agent is idle again when nothing is owed', async () => {
  const on = await stage({ script: [{ text: 'hello' }] })
  const phases: string[] = []
  on.agent.listen({ phase: (phase) => phases.push(phase) })
  await on.say('hi')
  assert.deepEqual(phases, ['running', 'idle'])
  assert.deepEqual(on.outcomes(), ['completed'])
  assert.equal((await on.verify()).answer, 'clean')
})

test('a turn boundary claims one followup, so each is a turn of its own', async () => {
  const held = heldTool('hold')
  const on = await stage({ tools: [held.tool], script: [calls('hold'), { text: '1' }, { text: '2' }, { text: '3' }] })
  await on.post('a')
  await held.begun
  await Promise.all([on.post('b'), on.post('c')])
  held.release()
  await on.agent.whenIdle()
  assert.deepEqual(on.types('turn/start', 'user/message'), [
    ...['turn/start', 'user/message'],
    ...['turn/start', 'user/message'],
    ...['turn/start', 'user/message'],
  ])
  assert.deepEqual(on.said(), ['a', 'b', 'c'])
})

test('a step boundary claims all that was steered or injected, and no followup', async () => {
  const held = heldTool('hold')
  const on = await stage({ tools: [held.tool], script: [calls('hold'), { text: '1' }, { text: '2' }] })
  await on.post('a')
  await held.begun
  await on.post('later')
  await on.post('x', 'steer')
  await on.post('y', 'inject')
  await on.post('z', 'steer')
  held.release()
  await on.agent.whenIdle()
  const second = on.all('step/start')[1]?.seq ?? 0
  const before = on.all('user/message').filter(({ seq }) => seq < second)
  assert.equal(before.length, 4)
  assert.deepEqual(on.said(), ['a', 'x', 'y', 'z', 'later'])
})

test('a turn boundary claims everything for the next step besides one followup', async () => {
  const on = await stage({ script: [{ text: '1' }, { text: '2' }] })
  await on.post('note', 'inject')
  await on.say('go')
  assert.deepEqual(on.said(), ['note', 'go'])
  assert.equal(on.all('turn/start').length, 1)
})

test('an inject waits and wakes nobody', async () => {
  const on = await stage({ script: [{ text: '1' }] })
  await on.post('note', 'inject')
  await on.agent.whenIdle()
  assert.deepEqual(on.types('turn/start'), [])
  assert.equal(on.session.log.state(inbox).nextStep.length, 1)
})

test('an inject that comes when nothing else is owed does not make the turn longer', async () => {
  const on = await stage({ script: [{ text: '1', delayMs: 5 }, { text: '2' }] })
  await on.post('a')
  await on.next('request/sent')
  await on.post('note', 'inject')
  await on.agent.whenIdle()
  assert.equal(on.all('step/start').length, 1)
  assert.deepEqual(on.said(), ['a'])
})

test('a steer that comes while the last reply streams makes the turn go on', async () => {
  const on = await stage({ script: [{ text: 'long answer', delayMs: 5 }, { text: '2' }] })
  await on.post('a')
  await on.next('request/sent')
  await on.post('wait', 'steer')
  await on.agent.whenIdle()
  assert.equal(on.all('turn/start').length, 1)
  assert.deepEqual(on.said(), ['a', 'wait'])
})

test('a steer to an idle agent starts a turn', async () => {
  const on = await stage({ script: [{ text: '1' }] })
  await on.post('go', 'steer')
  await on.agent.whenIdle()
  assert.deepEqual(on.outcomes(), ['completed'])
})

test('posting an id twice does nothing, claimed or not', async () => {
  const on = await stage({ script: [{ text: '1' }, { text: '2' }] })
  await Promise.all([on.post('a', 'followup', 'one'), on.post('a', 'followup', 'one')])
  await on.agent.whenIdle()
  await on.post('a', 'followup', 'one')
  await on.agent.whenIdle()
  assert.deepEqual(on.said(), ['a'])
  assert.equal(on.all('inbox/spliced').length, 1)
})

test('what another process posted to the store enters once, and is forgotten there', async () => {
  const on = await stage({ script: [{ text: '1' }, { text: '2' }] })
  const content = [{ type: 'text', text: 'from afar' }] as const
  const item = { kind: 'input', id: 'far', delivery: 'followup', content, source: { kind: 'person' } } as const
  await on.store.post(on.session.id, item)
  await on.store.post(on.session.id, item)
  await on.agent.drain()
  await on.agent.whenIdle()
  assert.deepEqual(on.said(), ['from afar'])
  assert.deepEqual(await on.session.lease.posted(), [])
})

test('a posted cancel withdraws the item it names, or stops the turn', async () => {
  const held = heldTool('hold')
  const on = await stage({ tools: [held.tool], script: [calls('hold'), { text: '1' }] })
  await on.post('a')
  await held.begun
  const queued = await on.post('b')
  await on.store.post(on.session.id, { kind: 'cancel', id: 'c1', item: queued })
  await on.agent.drain()
  assert.deepEqual(on.session.log.state(inbox).nextTurn, [])
  await on.store.post(on.session.id, { kind: 'cancel', id: 'c2' })
  await on.agent.drain()
  await on.agent.whenIdle()
  assert.deepEqual(on.outcomes(), ['cancelled'])
  assert.equal((await on.verify()).answer, 'clean')
})

test('a stop that was posted to an earlier holder stops no turn of this one', async () => {
  const before = await stage({ script: [{ text: 'One.' }] })
  await before.say('a')
  await before.close()
  const { store, session } = before
  await store.post(session.id, { kind: 'cancel', id: 'late' })
  const held = heldTool('hold')
  const script = [{ text: 'Two.' }, calls('hold')]
  const on = await stage({ store, resume: session.id, tools: [held.tool], script })
  await on.say('b')
  assert.deepEqual(on.outcomes(), ['completed', 'completed'])
  await on.post('c')
  await held.begun
  await store.post(session.id, { kind: 'cancel', id: 'now' })
  await on.agent.whenIdle()
  assert.deepEqual(on.outcomes(), ['completed', 'completed', 'cancelled'])
})
