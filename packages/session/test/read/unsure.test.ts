import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fold, type InboxItem, inbox, repair, type SessionEvent, verify } from '../../src/index.ts'
import { sessionPlan } from '../kit/plan.ts'
import { play, wholeLog } from '../kit/play.ts'
import { hasher } from '../kit/ports.ts'
import { continued, opened } from '../kit/reading.ts'
import { bytesOf } from '../kit/sinks.ts'
import { World } from '../kit/world.ts'

const says = (text: string) => [{ type: 'text', text }] as const
const waits = (events: readonly SessionEvent[]): readonly InboxItem[] => {
  const { nextStep, nextTurn } = fold(inbox, events)
  return [...nextStep, ...nextTurn]
}

/** The log after these lines were replaced by rubbish, it was opened again, and what was open is closed. */
async function mended(world: World, from: number, count = 1) {
  await world.log.written()
  const lines = world.sink.lines.map((line, at) => (at >= from && at < from + count ? 'x'.repeat(line.length) : line))
  const { log, sink } = continued(await opened(bytesOf(lines)))
  log.append('session/resume', { epoch: 2, holder: 'h:2', rein: '0.1.0' })
  for (const { type, data } of repair(log.events)) log.append(type, data)
  await log.synced()
  return { log, sink }
}

/** A turn that claims what is due and is then left in the middle of its first step. */
function begun(world: World): void {
  world.append('turn/start', { turn: ++world.turn })
  world.claim(true)
  world.append('step/start', { turn: world.turn, step: 1 })
}

function done(world: World): void {
  begun(world)
  world.append('step/end', { turn: world.turn, step: 1 })
  world.append('turn/end', { turn: world.turn, outcome: 'completed' })
}

const claimOf = (world: World, item: InboxItem): number =>
  world.log.events.findIndex((event) => event.type === 'user/message' && event.data.item === item.id)

test('whichever lines of a log are lost, nothing that was claimed is ever due again', async () => {
  const part = fc.tuple(sessionPlan, fc.nat({ max: 2 }))
  await fc.assert(
    fc.asyncProperty(part, fc.nat(), fc.integer({ min: 1, max: 4 }), async ([plan, queued], where, count) => {
      const world = play(plan)
      for (let item = 0; item <= queued; item++) world.post('followup', says(`${item}`))
      done(world)
      const at = where % (world.log.events.length - count)
      const claimed = new Set(world.log.events.flatMap((event) => ('item' in event.data ? [event.data.item] : [])))
      const { log, sink } = await mended(world, at, count)
      for (const { id } of waits(log.events)) assert.ok(!claimed.has(id), `${id} was claimed; lost: ${at}, ${count}`)
      assert.deepEqual(repair(log.events), [])
      const found = verify(await opened(sink.lines), { hasher, blob: world.blob })
      assert.equal(found.answer, 'declared damage', found.problems.join('\n'))
    }),
    { numRuns: 120 },
  )
})

test('what was posted after a loss stays queued', async () => {
  await fc.assert(
    fc.asyncProperty(wholeLog, fc.nat(), async (world, where) => {
      const at = where % world.log.events.length
      const items = (['followup', 'steer', 'inject'] as const).map((delivery) => world.post(delivery, says(delivery)))
      world.append('plugin/note', { plugin: 'p', kind: 'k', v: 1, data: 0 })
      const { log } = await mended(world, at)
      const kept = new Set(waits(log.events).map(({ id }) => id))
      for (const { id } of items) assert.ok(kept.has(id), `${id}; lost: ${at}`)
    }),
    { numRuns: 40 },
  )
})

test('of a turn whose claim is lost the one that it claimed is withdrawn, and those behind it stay', async () => {
  const world = new World()
  world.start('Be useful.')
  const [task, next] = ['task', 'next'].map((text) => world.post('followup', says(text)))
  assert.ok(task && next)
  done(world)
  const { log } = await mended(world, claimOf(world, task))
  assert.deepEqual(waits(log.events), [next])
  const [withdrawn] = log.events.flatMap((event) => (event.type === 'inbox/spliced' ? [event.data] : [])).slice(-1)
  assert.deepEqual(withdrawn?.remove, [task.id])
  assert.equal(withdrawn?.reason, 'withdrawn')
})

test('a line that is lost in a turn whose claim is there takes nothing out of the queue', async () => {
  const world = new World()
  world.start('Be useful.')
  const [task, next] = ['task', 'next'].map((text) => world.post('followup', says(text)))
  assert.ok(task && next)
  done(world)
  const { log } = await mended(world, claimOf(world, task) + 1)
  assert.deepEqual(waits(log.events), [next])
})

test('input that waits while no turn runs is sure, whatever line is lost then', async () => {
  const world = new World()
  world.start('Be useful.')
  const items = (['followup', 'inject'] as const).map((delivery) => world.post(delivery, says(delivery)))
  const at = world.append('plugin/note', { plugin: 'p', kind: 'k', v: 1, data: 0 }).seq
  world.append('plugin/note', { plugin: 'p', kind: 'k', v: 1, data: 1 })
  const { log } = await mended(world, at)
  assert.deepEqual(
    waits(log.events)
      .map(({ id }) => id)
      .toSorted(),
    items.map(({ id }) => id).toSorted(),
  )
})

test('when the end of a turn is lost, what was injected before it still waits once the next turn has begun', async () => {
  const world = new World()
  world.start('Be useful.')
  world.post('followup', says('task'))
  begun(world)
  const inject = world.post('inject', says('by the way'))
  world.append('step/end', { turn: 1, step: 1 })
  const { seq } = world.append('turn/end', { turn: 1, outcome: 'completed' })
  world.append('turn/start', { turn: ++world.turn })
  const { log } = await mended(world, seq)
  assert.deepEqual(waits(log.events), [inject])
})

test('what was claimed is known though its post is lost: posting it again does nothing', async () => {
  const world = new World()
  world.start('Be useful.')
  const task = world.post('followup', says('task'))
  const post = world.log.events.length - 1
  done(world)
  const { log } = await mended(world, post)
  log.append('inbox/spliced', { lane: 'next-turn', start: 0, remove: [], insert: [task], reason: 'posted' })
  assert.deepEqual(waits(log.events), [])
})
