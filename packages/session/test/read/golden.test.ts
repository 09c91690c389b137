import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { checks } from '../../src/events/checks.ts'
import { Derivation, encoderFor, fold, header, type SessionEvent, surface, verify } from '../../src/index.ts'
import { hasher, sha256 } from '../kit/ports.ts'
import { opened } from '../kit/reading.ts'

// FROZEN: these files were written once and are never written again. A change of today's code that they do not
// survive is a new log format or a new version of the encoder.

const golden = (name: string): Buffer => readFileSync(new URL(`../golden/${name}`, import.meta.url))
const picture = Uint8Array.of(1, 2, 3)
const blob = (name: string): Uint8Array | undefined => (name === sha256(picture) ? picture : undefined)

test('the golden log of format 1 opens, is clean, and every one of its requests is proved', async () => {
  const log = await opened(golden('format-1.jsonl'))
  assert.deepEqual(log.damage, [])
  const found = verify(log, { hasher, blob })
  assert.deepEqual([found.answer, found.problems], ['clean', []])
  assert.deepEqual([found.events, found.requests, found.proved], [207, 19, 19])
  assert.equal(found.head, '591188d6ec027dad3e5fbb07023ddf327619b41297fb28b7be2ef807b93fa7a0')
  const types = new Set<string>(log.events.map(({ type }) => type))
  assert.deepEqual([...types, 'session/damage'].sort(), Object.keys(checks).sort())
})

test('openai-chat version 1 gives the golden requests byte for byte', async () => {
  const { events } = await opened(golden('format-1.jsonl'))
  const bodies = golden('format-1.requests.txt').toString().trimEnd().split('\n')
  const sent = events.filter((event) => event.type === 'request/sent')
  assert.equal(sent.length, bodies.length)
  for (const [index, event] of sent.entries()) assert.equal(bodyOf(events, event.seq), bodies[index])
})

test('the golden log that was mended after a crash opens without new damage and says what was declared', async () => {
  const log = await opened(golden('format-1.mended.jsonl'))
  assert.deepEqual(log.damage, [])
  const found = verify(log, { hasher, blob })
  assert.equal(found.answer, 'declared damage')
  assert.equal(found.head, '13fe672670bd79cc8a7217854f6b8327de468f67fd9c5d657054540a7f937c36')
  const declared = log.events.flatMap((event) =>
    event.type === 'session/damage' ? [[event.seq, event.data.events]] : [],
  )
  assert.deepEqual(declared, [
    [3, 1],
    [22, 0],
  ])
})

test('a letter changed in a type that nothing vouches for is damage, not a newer version', async () => {
  const lines = golden('format-1.mended.jsonl').toString().trimEnd().split('\n')
  // Event 3 is lost in it, and its damage was declared before a loss vouched for what follows.
  const log = await opened(lines.with(4, lines[4]?.replace('"type":"', '"type":"x') ?? ''))
  assert.deepEqual(
    log.damage.map(({ reason, line, events }) => [reason, line, events]),
    [['broken-chain', 5, 1]],
  )
  assert.equal(verify(log, { hasher, blob }).answer, 'FALSE')
})

test('the golden log of everything opens with what was declared in it, and all of its requests are proved', async () => {
  const log = await opened(golden('format-1.whole.jsonl'))
  assert.deepEqual([log.damage, log.format], [[], 1])
  const found = verify(log, { hasher, blob })
  assert.deepEqual([found.answer, found.events, found.requests, found.proved], ['declared damage', 499, 37, 37])
  assert.equal(found.head, '86e04db9ea6b384c7df6132e28d1a45b304cc3bac73be91f4c6172bad2ec9a13')
  const types = new Set<string>(log.events.map(({ type }) => type))
  for (const type of ['compaction/summary', 'session/rewound', 'session/fork', 'session/damage', 'session/migrated'])
    assert.ok(types.has(type), type)
})

test('the golden log that was redacted is told as such, and nothing in it is damaged', async () => {
  const log = await opened(golden('format-1.redacted.jsonl'))
  assert.deepEqual(log.damage, [])
  const found = verify(log, { hasher, blob })
  assert.deepEqual([found.answer, found.events, found.requests, found.proved], ['redacted', 56, 4, 0])
  assert.equal(found.head, '06ec3d2513b53832c1ec7e53af42c676f029090eb0405e25ea976a07ed0f34a3')
})

function bodyOf(events: readonly SessionEvent[], seq: number): string {
  const event = events[seq]
  const of = fold(header, events, seq)
  assert.ok(event?.type === 'request/sent' && of && encoderFor(of.header))
  const { at, extra } = event.data
  const from = { surface: fold(surface, events, at + 1), header: of.header, headerSeq: of.seq, at, extra }
  const made = new Derivation({ hasher, blob, keep: true }).derive(from, events)
  assert.ok(made.ok)
  return Buffer.concat(made.value.body).toString()
}
