import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryStore } from '@rein/session'
import { nodeHasher } from '../../src/store/hasher.ts'
import { calls, heldTool, recordingStore, stage } from './kit.ts'

test('maintenance starts from idle only', async () => {
  const held = heldTool('hold')
  const on = await stage({ tools: [held.tool], script: [calls('hold'), { text: '1' }] })
  await on.post('a')
  await held.begun
  await assert.rejects(
    on.agent.maintain(async () => undefined),
    /from running/,
  )
  held.release()
  await on.agent.whenIdle()
  const inner = on.agent.maintain(() => on.agent.maintain(async () => undefined))
  await assert.rejects(inner, /from maintenance/)
  assert.equal(on.agent.phase, 'idle')
})

test('a wake during maintenance is latched: the turn starts when maintenance is over', async () => {
  const on = await stage({ script: [{ text: '1' }] })
  const over = Promise.withResolvers<void>()
  const maintained = on.agent.maintain(() => over.promise)
  await on.post('a')
  assert.equal(on.agent.phase, 'maintenance')
  assert.deepEqual(on.types('turn/start'), [])
  const idle = on.agent.whenIdle()
  over.resolve()
  await maintained
  await idle
  assert.deepEqual(on.outcomes(), ['completed'])
})

test('maintenance that throws leaves the agent idle, and what waited starts', async () => {
  const on = await stage({ script: [{ text: '1' }] })
  const over = Promise.withResolvers<void>()
  const maintained = on.agent.maintain(() => over.promise)
  await on.post('a')
  over.reject(new Error('no'))
  await assert.rejects(maintained, /no/)
  await on.agent.whenIdle()
  assert.deepEqual(on.outcomes(), ['completed'])
})

test('one turn runs at a time, however many posts come at once', async () => {
  const on = await stage({ script: Array.from({ length: 8 }, () => ({ text: 'ok' })) })
  await Promise.all(Array.from({ length: 8 }, (_, n) => on.post(`m${n}`)))
  await on.agent.whenIdle()
  const marks = on.types('turn/start', 'turn/end')
  assert.deepEqual(marks, Array.from({ length: 8 }, () => ['turn/start', 'turn/end']).flat())
})

test('a post at any moment around the end of a turn is never stranded', async () => {
  const on = await stage({ script: Array.from({ length: 60 }, () => ({ text: 'ok' })) })
  for (let ticks = 0; ticks < 30; ticks++) {
    const ended = on.next('turn/end')
    await on.post('first')
    await ended
    for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
    await on.post('second')
    await on.agent.whenIdle()
    assert.equal(on.agent.phase, 'idle')
  }
  assert.equal(on.all('turn/end').length, 60)
})

test('input is synced before it is acknowledged', async () => {
  const order: string[] = []
  const store = recordingStore(order)
  const on = await stage({ store, script: [{ text: '1' }] })
  order.length = 0
  await on.post('note', 'inject').then(() => order.push('acknowledged'))
  assert.deepEqual(order, ['write inbox/spliced', 'sync', 'acknowledged'])
})

test('input that a crash left waiting starts when its session is opened and woken', async () => {
  const store = new MemoryStore({ hasher: nodeHasher, now: () => 0 })
  const first = await stage({ store })
  const acknowledged = first.agent.maintain(async () => {
    await first.post('a')
    return store.survivor()
  })
  const on = await stage({ store: await acknowledged, resume: first.session.id, script: [{ text: '1' }] })
  assert.deepEqual(on.types('turn/start'), [])
  on.agent.wake()
  await on.agent.whenIdle()
  assert.deepEqual(on.outcomes(), ['completed'])
  await first.agent.whenIdle()
})
