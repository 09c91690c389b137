import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type DataOf, due, fold, type InboxItem, inbox, laneOf, wakes } from '../../src/index.ts'
import { World } from '../kit/world.ts'

const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const content = [{ type: 'text', text: 'x' }] as const

const action = fc.oneof(
  fc.record({
    do: fc.constant('post'),
    id: ids,
    delivery: fc.constantFrom('followup', 'steer', 'inject'),
    start: fc.nat({ max: 4 }),
  }),
  fc.record({ do: fc.constantFrom('claim', 'edit', 'reorder', 'drop'), id: ids, start: fc.nat({ max: 4 }) }),
  fc.record({
    do: fc.constantFrom('park', 'crash'),
    reason: fc.constantFrom('cancelled', 'budget', 'error', 'interrupted'),
  }),
)
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never

/** What became of each posted item, kept apart from the fold. */
type Fate = 'waiting' | 'claimed' | 'dropped'

function perform(world: World, act: Action): void {
  const source = { kind: 'person' } as const
  switch (act.do) {
    case 'post': {
      const item: InboxItem = { id: act.id, delivery: act.delivery, content, source }
      splice(world, { lane: laneOf(item), start: act.start, remove: [], insert: [item], reason: 'posted' })
      return
    }
    case 'claim':
      world.append('user/message', { content, source, item: act.id })
      return
    case 'edit':
    case 'reorder': {
      // A person edits what is on the screen, which may have been claimed meanwhile.
      const item: InboxItem = { id: act.id, delivery: 'followup', content: [{ type: 'text', text: 'edited' }], source }
      const reason = act.do === 'edit' ? 'edited' : 'reordered'
      splice(world, { lane: 'next-turn', start: act.start, remove: [act.id], insert: [item], reason })
      return
    }
    case 'drop':
      splice(world, { lane: 'next-turn', start: 0, remove: [act.id], insert: [], reason: 'dropped' })
      return
    default:
      world.append('inbox/parked', { reason: 'reason' in act ? act.reason : 'error' })
  }
}

const splice = (world: World, data: DataOf<'inbox/spliced'>) => world.append('inbox/spliced', data)

function fateAfter(fate: Fate | undefined, act: Action): Fate | undefined {
  if (act.do === 'post') return fate ?? 'waiting'
  // A claim whose post is lost to damage: posting it again does nothing.
  if (act.do === 'claim') return fate === 'dropped' ? fate : 'claimed'
  if (fate !== 'waiting') return fate
  return act.do === 'drop' ? 'dropped' : fate
}

test('no input is lost or doubled, whatever is posted again, claimed, edited, moved, dropped or parked in between', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 30 }), (actions) => {
      const world = new World()
      const fates = new Map<string, Fate>()
      for (const act of actions) {
        perform(world, act)
        if ('id' in act) {
          const fate = fateAfter(fates.get(act.id), act)
          if (fate) fates.set(act.id, fate)
        }
        const { nextTurn, nextStep } = world.log.state(inbox)
        const waiting = [...nextTurn, ...nextStep].map(({ id }) => id)
        const expected = [...fates].flatMap(([id, fate]) => (fate === 'waiting' ? [id] : []))
        assert.deepEqual(waiting.toSorted(), expected.toSorted())
      }
      assert.deepEqual(fold(inbox, world.log.events).nextTurn, world.log.state(inbox).nextTurn)
    }),
    { numRuns: 200 },
  )
})

test('what is parked waits until something new is posted that wakes, and then all of it is due', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 20 }), (actions) => {
      const world = new World()
      for (const act of actions) perform(world, act)
      world.append('inbox/parked', { reason: 'error' })
      assert.ok(!due(world.log.state(inbox)))
      world.post('inject', content)
      assert.ok(!due(world.log.state(inbox)))
      const before = [...world.log.state(inbox).nextTurn, ...world.log.state(inbox).nextStep]
      const item = world.post('followup', content)
      const after = world.log.state(inbox)
      assert.ok(due(after) && wakes(item))
      for (const { id } of before) assert.ok([...after.nextTurn, ...after.nextStep].some((other) => other.id === id))
    }),
    { numRuns: 50 },
  )
})

test('an item keeps its place when it is edited there', () => {
  const world = new World()
  const [a, b, c] = ['1', '2', '3'].map((text) => world.post('followup', [{ type: 'text', text }]))
  assert.ok(a && b && c)
  splice(world, { lane: 'next-turn', start: 1, remove: [b.id], insert: [{ ...b, content }], reason: 'edited' })
  assert.deepEqual(
    world.log.state(inbox).nextTurn.map(({ id }) => id),
    [a.id, b.id, c.id],
  )
  assert.deepEqual(world.log.state(inbox).nextTurn[1]?.content, content)
})
