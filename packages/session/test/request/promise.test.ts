import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checks } from '../../src/events/checks.ts'
import {
  check,
  Derivation,
  encoderFor,
  fold,
  header,
  Rebuild,
  type SessionEvent,
  sentRecord,
  surface,
  verify,
} from '../../src/index.ts'
import { wholeLog } from '../kit/play.ts'
import { hasher, sha256 } from '../kit/ports.ts'
import { opened } from '../kit/reading.ts'
import type { World } from '../kit/world.ts'

const runs = { numRuns: 30 }

test('a session that kept every rule is clean, and every request that left is proved', async () => {
  await fc.assert(
    fc.asyncProperty(wholeLog, async (world) => {
      await world.log.written()
      assert.deepEqual(check(world.log.events), [])
      const read = await opened(world.sink.bytes())
      assert.deepEqual(read.damage, [])
      assert.deepEqual(read.events, JSON.parse(JSON.stringify(world.log.events)))
      const found = verify(read, { hasher, blob: world.blob })
      assert.deepEqual(found.problems, [])
      assert.equal(found.answer, 'clean')
      assert.equal(found.proved, world.left.length)
      assert.equal(found.head, world.log.head)
    }),
    runs,
  )
})

test('what request/sent records is the hash and the size of the bytes that left', () => {
  fc.assert(
    fc.property(wholeLog, (world) => {
      for (const { seq, body } of world.left) {
        const sent = world.log.events[seq]
        assert.ok(sent?.type === 'request/sent')
        assert.equal(sent.data.sha256, sha256(body))
        assert.equal(sent.data.bytes, body.length)
        assert.doesNotThrow(() => JSON.parse(body.toString()))
      }
    }),
    runs,
  )
})

test('a request derived without a memo, and one rebuilt from stored lines, have the same bytes', () => {
  fc.assert(
    fc.property(wholeLog, (world) => {
      const rebuild = new Rebuild({ hasher, blob: world.blob })
      for (const event of world.log.events) {
        const stored: SessionEvent = JSON.parse(JSON.stringify(event))
        rebuild.feed(stored)
        if (stored.type !== 'request/sent') continue
        const body = world.left.find(({ seq }) => seq === event.seq)?.body
        assert.deepEqual(fresh(world, stored.seq), body)
        const made = rebuild.request(stored)
        assert.ok(made.ok && body)
        assert.deepEqual([made.value.sha256, made.value.bytes], [sha256(body), body.length])
      }
    }),
    runs,
  )
})

test('head and messages of a request begin the next one, unless it names what broke that', () => {
  fc.assert(
    fc.property(wholeLog, (world) => {
      let before: Buffer | undefined
      for (const { seq, body, broke } of world.left) {
        const front = before
        const whole = front !== undefined && body.subarray(0, front.length).equals(front)
        if (front !== undefined) assert.equal(broke === undefined, whole, `request at ${seq}`)
        if (broke) assert.ok(broke.event < seq && world.log.events[broke.event])
        before = frontOf(world, seq)
      }
    }),
    runs,
  )
})

test('what is said between deriving a request and recording it is not in it, and the request is proved all the same', () => {
  fc.assert(
    fc.property(wholeLog, (world) => {
      const of = world.log.state(header)
      assert.ok(of)
      const at = world.log.events.length - 1
      const from = { surface: world.log.state(surface), header: of.header, headerSeq: of.seq, at, extra: null }
      const derived = new Derivation({ hasher, blob: world.blob, keep: true }).derive(from, world.log.events)
      assert.ok(derived.ok)
      world.append('user/message', { content: [{ type: 'text', text: 'too late' }], source: { kind: 'person' } })
      const sent = world.log.append('request/sent', sentRecord(from, derived.value, { id: 'late', kind: 'step' }))
      const rebuild = new Rebuild({ hasher, blob: world.blob })
      for (const event of world.log.events) rebuild.feed(event)
      const made = rebuild.request(sent)
      assert.equal(made.ok && made.value.sha256, derived.value.sha256)
    }),
    { numRuns: 10 },
  )
})

test('a rewind gives the surface back as it was, byte for byte', () => {
  fc.assert(
    fc.property(wholeLog, fc.nat(), (world, at) => {
      const to = at % world.log.events.length
      const before = fold(surface, world.log.events, to + 1)
      world.append('session/rewound', { to, by: 'person' })
      assert.equal(JSON.stringify([...world.log.state(surface).messages]), JSON.stringify([...before.messages]))
    }),
    runs,
  )
})

test('the random sessions meet every event type, damage excepted', () => {
  const met = new Set<string>()
  for (const world of fc.sample(wholeLog, { numRuns: 120, seed: 7 }))
    for (const { type } of world.log.events) met.add(type)
  assert.deepEqual([...met, 'session/damage'].sort(), Object.keys(checks).sort())
})

function placeOf(world: World, seq: number) {
  const sent = world.log.events[seq]
  assert.ok(sent?.type === 'request/sent')
  const of = fold(header, world.log.events, seq)
  assert.ok(of && of.seq === sent.data.header)
  return { of, sent, messages: fold(surface, world.log.events, sent.data.at + 1) }
}

function fresh(world: World, seq: number): Buffer {
  const { of, sent, messages } = placeOf(world, seq)
  const { at, extra } = sent.data
  const derived = new Derivation({ hasher, blob: world.blob, keep: true }).derive(
    { surface: messages, header: of.header, headerSeq: of.seq, at, extra },
    world.log.events,
  )
  assert.ok(derived.ok)
  return Buffer.concat(derived.value.body)
}

function frontOf(world: World, seq: number): Buffer {
  const { of, messages } = placeOf(world, seq)
  const encoding = encoderFor(of.header)?.(of.header, world.blob)
  assert.ok(encoding)
  const front = encoding.head + [...messages.messages].map((message) => encoding.message(message)).join('')
  return Buffer.from(front + encoding.closing().text)
}
