import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { standing } from '../../src/fold.ts'
import { planRewind, rewind, tree, turnsOf } from '../../src/index.ts'
import { wholeLog } from '../kit/play.ts'

test('every turn of a log is told once with its place, and says whether a rewind took it back', async () => {
  await fc.assert(
    fc.property(wholeLog, fc.nat(), ({ log }, place) => {
      assert.ok(rewind(log, { to: place % log.events.length }).ok)
      const left = new Set(standing(log.events).map(({ seq }) => seq))
      const turns = turnsOf(log.events)
      const starts = log.events.filter(({ type }) => type === 'turn/start').map(({ seq }) => seq)
      assert.deepEqual(
        turns.map(({ from }) => from),
        starts,
      )
      for (const { from, to, stands } of turns) {
        const parts = log.events.slice(from, to + 1).map(({ seq }) => left.has(seq))
        assert.equal(stands, parts.every(Boolean) ? 'all' : parts.some(Boolean) ? 'part' : 'none')
      }
    }),
    { numRuns: 30 },
  )
})

test('a rewind to the event before a turn takes off what that turn said, and nothing older', async () => {
  await fc.assert(
    fc.property(wholeLog, fc.nat(), ({ log: { events } }, which) => {
      const standingTurns = turnsOf(events).filter(({ stands }) => stands === 'all')
      const turn = standingTurns[which % Math.max(1, standingTurns.length)]
      fc.pre(turn !== undefined)
      const plan = planRewind(events, turn.from - 1)
      assert.ok(plan.ok)
      assert.equal(plan.value.to, turn.from - 1)
      assert.ok(plan.value.leaves.every(({ seq }) => seq > turn.from))
    }),
    { numRuns: 30 },
  )
})

test('a turn is named by what a person said first in it, and rewinds and compactions stand where they happened', () => {
  const [world] = fc.sample(wholeLog, { numRuns: 1, seed: 3 })
  assert.ok(world)
  const { log } = world
  const after = log.events.length
  log.append('turn/start', { turn: world.turn + 1 })
  const context = { kind: 'context', name: 'runtime' } as const
  log.append('user/message', { content: [{ type: 'text', text: 'a snapshot' }], source: context })
  assert.partialDeepStrictEqual(turnsOf(log.events).at(-1), { prompt: '', outcome: undefined })
  log.append('user/message', { content: [{ type: 'text', text: 'from a job' }], source: { kind: 'job' } })
  assert.equal(turnsOf(log.events).at(-1)?.prompt, 'from a job')
  log.append('user/message', { content: [{ type: 'text', text: 'fix it' }], source: { kind: 'person' } })
  log.append('turn/end', { turn: world.turn + 1, outcome: 'completed' })
  log.append('compaction/start', { id: 'c', reason: 'person', range: [1, 2] })
  log.append('compaction/end', { id: 'c', outcome: 'accepted' })
  log.append('session/rewound', { to: after + 4, by: 'person' })
  const [turn, compacted, rewound] = tree(log.events).slice(-3)
  assert.partialDeepStrictEqual(turn, { kind: 'turn', prompt: 'fix it', from: after, to: after + 4, stands: 'all' })
  assert.deepEqual(compacted, { kind: 'compacted', seq: after + 6, stands: false })
  assert.deepEqual(rewound, { kind: 'rewound', seq: after + 7, to: after + 4 })
})
