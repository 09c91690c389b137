import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  Derivation,
  type Fold,
  fold,
  header,
  inbox,
  owed,
  permission,
  planRewind,
  rewind,
  type SessionEvent,
  seen,
  surface,
  transcript,
  turns,
  usage,
  verify,
} from '../../src/index.ts'
import { wholeLog } from '../kit/play.ts'
import { hasher } from '../kit/ports.ts'
import { opened } from '../kit/reading.ts'
import type { World } from '../kit/world.ts'

const shown = (events: readonly SessionEvent[], upTo = events.length) =>
  [...fold(surface, events, upTo).messages].map(({ seq }) => seq)

/** Repairs the encoder would have to make in the next request of this log. */
function repairsOf({ log, blob }: World): readonly string[] {
  const of = fold(header, log.events)
  assert.ok(of)
  const from = { surface: fold(surface, log.events), header: of.header, headerSeq: of.seq, at: 0, extra: null }
  const made = new Derivation({ hasher, blob, keep: false }).derive(from, log.events)
  assert.ok(made.ok)
  return made.value.repairs.map(({ rule }) => rule)
}

test('a rewind to any event leaves a next request in which every call has its result, and the surface of a place up to it', async () => {
  await fc.assert(
    fc.asyncProperty(wholeLog, fc.infiniteStream(fc.nat()), async (world, places) => {
      const { log } = world
      for (const place of [...places.take(4)]) {
        const asked = place % log.events.length
        const plan = planRewind(log.events, asked)
        assert.ok(plan.ok)
        const { to, leaves, returns } = plan.value
        const before = shown(log.events)
        const done = rewind(log, { to: asked })
        assert.ok(done.ok)
        assert.deepEqual([done.value.data.to, to <= asked], [to, true])
        const after = shown(log.events)
        assert.deepEqual(after, shown(log.events, to + 1))
        assert.deepEqual(
          leaves.map(({ seq }) => seq),
          before.filter((seq) => !after.includes(seq)),
        )
        assert.deepEqual(
          returns.map(({ seq }) => seq),
          after.filter((seq) => !before.includes(seq)),
        )
        const repairs = repairsOf(world)
        assert.ok(!repairs.includes('missing-result') && !repairs.includes('orphan-result'), repairs.join())
      }
      await log.synced()
      const found = verify(await opened(world.sink.lines), { hasher, blob: world.blob })
      assert.deepEqual([found.answer, found.problems], ['clean', []])
    }),
    { numRuns: 30 },
  )
})

test('a place where a call waits for its result gives way to the nearest one before it where none does', async () => {
  await fc.assert(
    fc.property(wholeLog, ({ log: { events } }) => {
      let sound = 0
      for (const [asked] of events.entries()) {
        const plan = planRewind(events, asked)
        assert.ok(plan.ok)
        if (openCalls(events, asked).length === 0) sound = asked
        assert.equal(plan.value.to, sound, `event ${asked}`)
      }
    }),
    { numRuns: 30 },
  )
})

/** Told from the surface alone, one message after the other. */
function openCalls(events: readonly SessionEvent[], at: number): readonly string[] {
  const open = new Set<string>()
  for (const message of fold(surface, events, at + 1).messages) {
    if (message.type === 'assistant/message')
      for (const block of message.data.content) if (block.type === 'call') open.add(block.id)
    if (message.type === 'tool/result') open.delete(message.data.call)
  }
  return [...open]
}

test('rewinding a rewind brings back, message for message, what was rewound', async () => {
  await fc.assert(
    fc.property(wholeLog, fc.nat(), ({ log }, place) => {
      const before = shown(log.events)
      const last = log.events.length - 1
      const seenBefore = [...log.state(seen).entries()]
      const first = rewind(log, { to: place % log.events.length })
      assert.ok(first.ok)
      const back = rewind(log, { to: first.value.seq - 1 })
      assert.ok(back.ok && back.value.data.to === last)
      assert.deepEqual(shown(log.events), before)
      assert.deepEqual([...log.state(seen).entries()].sort(), seenBefore.sort())
      const { shadowed } = fold(transcript, log.events)
      assert.ok(before.every((seq) => !shadowed.has(seq)))
    }),
    { numRuns: 30 },
  )
})

/** What happened, happened: the state before and after a rewind is the very same. */
const kept: readonly Fold<unknown>[] = [permission, usage, owed, turns, inbox, header]

test('a rewind changes no permission, plan mode or grant, gives no money back and brings no input back', async () => {
  await fc.assert(
    fc.property(wholeLog, fc.nat(), ({ log }, place) => {
      const before = kept.map((of) => log.state(of))
      assert.ok(rewind(log, { to: place % log.events.length }).ok)
      for (const [index, of] of kept.entries()) {
        assert.equal(log.state(of), before[index])
        assert.deepEqual(fold(of, log.events), fold(of, log.events, log.events.length - 1))
      }
    }),
    { numRuns: 30 },
  )
})

test('a rewind takes read versions back to what they were', async () => {
  await fc.assert(
    fc.property(wholeLog, fc.nat(), ({ log }, place) => {
      const done = rewind(log, { to: place % log.events.length })
      assert.ok(done.ok)
      const then = fold(seen, log.events, done.value.data.to + 1)
      assert.deepEqual([...log.state(seen).entries()], [...then.entries()])
    }),
    { numRuns: 30 },
  )
})

test('a rewind behind the end, or while a turn is open, is refused and writes nothing', async () => {
  await fc.assert(
    fc.property(wholeLog, (world) => {
      const { log } = world
      const length = log.events.length
      const beyond = planRewind(log.events, length)
      assert.ok(!beyond.ok && beyond.failure.message.includes(`events 0 to ${length - 1}`))
      assert.equal(rewind(log, { to: length }).ok, false)
      world.append('turn/start', { turn: world.turn + 1 })
      assert.partialDeepStrictEqual(rewind(log, { to: 1 }), { ok: false, failure: { code: 'USAGE' } })
      assert.equal(log.events.length, length + 1)
    }),
    { numRuns: 5 },
  )
})
