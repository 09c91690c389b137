import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assembler, type Delta } from '../../src/model/assembler.ts'
import type { Chunk } from '../../src/model/chunk.ts'
import { assemble, text } from './support.ts'

const finish = (reason: 'stop' | 'calls' | 'length' | 'filtered' | 'other'): Chunk => ({
  kind: 'finish',
  finish: { reason, raw: reason },
})
const say = (words: string, block = 0): Chunk => ({ kind: 'text', block, text: words })
const call = (block: number, id: string, name = 'run'): Chunk => ({ kind: 'call', block, id, name })
const args = (block: number, words: string): Chunk => ({ kind: 'arguments', block, text: words })

const reasons = fc.constantFrom('stop', 'calls', 'length', 'filtered', 'other')
const block = fc.nat(3)
const words = fc.constantFrom('', ' ', 'a', '{', '}', '{"a":1}', '🙂')
const anyChunk: fc.Arbitrary<Chunk> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('text' as const), block, text: words }) },
  fc.record({ kind: fc.constant('reasoning' as const), block, text: words }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('call' as const), block, id: words, name: words }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('arguments' as const), block, text: words }) },
  fc.record({ kind: fc.constant('private' as const), block, data: fc.constant({ sealed: 'x' }) }),
  fc.record({ kind: fc.constant('close' as const), block }),
  fc.record({ kind: fc.constant('moment' as const), at: fc.constantFrom('connected', 'first-byte') }),
  fc.constant<Chunk>({ kind: 'usage', usage: { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 } }),
  fc.record({ kind: fc.constant('finish' as const), finish: fc.record({ reason: reasons, raw: fc.constant('x') }) }),
  fc.constant<Chunk>({ kind: 'failed', failure: { code: 'NETWORK', message: 'x' } }),
)

/** What the text must be, worked out apart: per block, up to its close and to the end, blank blocks left out. */
const expectedText = (chunks: readonly Chunk[]): string => {
  const kinds = new Map<number, string>()
  const texts = new Map<number, string>()
  const closed = new Set<number>()
  for (const chunk of chunks) {
    if (chunk.kind === 'finish' || chunk.kind === 'failed') break
    if (!('block' in chunk)) continue
    const kind = chunk.kind === 'arguments' ? 'call' : chunk.kind
    if (kind === 'close') {
      if (kinds.has(chunk.block)) closed.add(chunk.block)
      continue
    }
    if (closed.has(chunk.block) || (kinds.get(chunk.block) ?? kind) !== kind) continue
    kinds.set(chunk.block, kind)
    texts.set(chunk.block, (texts.get(chunk.block) ?? '') + (chunk.kind === 'text' ? chunk.text : ''))
  }
  return [...texts.values()].filter((one) => one.trim() !== '').join('')
}

test('any sequence of chunks gives its text, no half call, unique ids, and never throws', () => {
  fc.assert(
    fc.property(fc.array(anyChunk, { maxLength: 25 }), (chunks) => {
      const reply = assemble(chunks, (id) => id === 'a')
      assert.equal(text(reply), expectedText(chunks))
      const calls = [...reply.content, ...reply.dropped].filter((one) => one.type === 'call')
      assert.equal(new Set(calls.map((one) => one.id)).size, calls.length)
      assert.ok(calls.every((one) => one.id !== 'a' && one.id !== '' && one.arguments !== ''))
      const end = chunks.find((one) => one.kind === 'finish' || one.kind === 'failed')
      const whole = end?.kind === 'finish' && end.finish.reason !== 'length' && end.finish.reason !== 'filtered'
      if (!whole) assert.ok(reply.content.every((one) => one.type !== 'call'))
      if (end === undefined) assert.equal(reply.failure?.code, 'STREAM_TRUNCATED')
      assert.ok(reply.content.every((one) => one.type !== 'text' || one.text.trim() !== ''))
    }),
    { numRuns: 300 },
  )
})

test('pieces of arguments are joined by block, in the order of the blocks', () => {
  const reply = assemble([call(1, 'k1'), call(0, 'k0'), args(1, '{"a"'), args(0, '{}'), args(1, ':1}'), finish('stop')])
  assert.deepEqual(reply.content, [
    { type: 'call', id: 'k1', name: 'run', arguments: '{"a":1}' },
    { type: 'call', id: 'k0', name: 'run', arguments: '{}' },
  ])
  assert.deepEqual(reply.finish, { reason: 'calls', raw: 'stop' })
})

test('the first close of a block wins, and what comes later is reported', () => {
  const chunks: readonly Chunk[] = [say('a'), { kind: 'close', block: 0 }, say('b'), { kind: 'close', block: 9 }]
  const reply = assemble([...chunks, finish('stop'), say('c')])
  assert.equal(text(reply), 'a')
  assert.deepEqual(reply.violations, [
    { chunk: 'text', why: 'after-close' },
    { chunk: 'close', why: 'unknown-block' },
    { chunk: 'text', why: 'after-end' },
  ])
})

for (const [what, chunks] of [
  ['nothing', []],
  ['blank text', [say(' \n')]],
  ['reasoning alone', [{ kind: 'reasoning', block: 0, text: 'hm' }]],
  ['a call without a name', [call(0, 'k', '')]],
] as const) {
  for (const reason of ['stop', 'calls', 'other'] as const) {
    test(`a reply that finishes ${reason} with ${what} is EMPTY_RESPONSE`, () => {
      assert.equal(assemble([...chunks, finish(reason)]).failure?.code, 'EMPTY_RESPONSE')
    })
  }
}

test('a reply cut by the token limit before its first word is no failure of its own', () => {
  const reply = assemble([finish('length')])
  assert.equal(reply.failure, undefined)
  assert.equal(reply.finish?.reason, 'length')
})

test('a finish that speaks of calls without any is a stop', () => {
  assert.deepEqual(assemble([say('x'), finish('calls')]).finish, { reason: 'stop', raw: 'calls' })
})

test('a filtered reply keeps its text and runs none of its calls', () => {
  const reply = assemble([say('x'), call(1, 'k'), finish('filtered')])
  assert.equal(reply.failure?.code, 'CONTENT_FILTERED')
  assert.equal(text(reply), 'x')
  assert.deepEqual(
    reply.dropped.map((one) => one.id),
    ['k'],
  )
})

test('a cancelled stream is no failure, and its calls are dropped', () => {
  const one = assembler({ now: () => 0, taken: () => false, mint: () => 'm' })
  for (const chunk of [say('x'), call(1, 'k')]) one.push(chunk)
  const reply = one.end('cancelled')
  assert.equal(reply.failure, undefined)
  assert.equal(reply.finish, null)
  assert.equal(text(reply), 'x')
  assert.deepEqual(
    reply.dropped.map((dropped) => dropped.id),
    ['k'],
  )
})

test('a signature stays with its reasoning, also when the text is empty', () => {
  const reply = assemble([{ kind: 'reasoning', block: 0, text: '', signature: 's' }, say('x', 1), finish('stop')])
  assert.deepEqual(reply.content[0], { type: 'reasoning', text: '', signature: 's' })
})

test('an empty id is minted without a wire id, a taken one with it', () => {
  const reply = assemble([call(0, ''), call(1, 'old'), finish('stop')], (id) => id === 'old')
  assert.deepEqual(reply.content, [
    { type: 'call', id: 'minted-1', name: 'run', arguments: '{}' },
    { type: 'call', id: 'minted-2', name: 'run', arguments: '{}', wireId: 'old' },
  ])
})

test('moments are measured from the start of the attempt, the first of each kind', () => {
  let clock = 100
  const one = assembler({ now: () => clock, taken: () => false, mint: () => 'm' })
  const at = (time: number, chunk: Chunk) => {
    clock = time
    one.push(chunk)
  }
  at(110, { kind: 'moment', at: 'connected' })
  at(150, { kind: 'moment', at: 'first-byte' })
  at(160, { kind: 'moment', at: 'first-byte' })
  at(170, finish('length'))
  clock = 200
  assert.deepEqual(one.end().timing, { connectMs: 10, firstByteMs: 50, totalMs: 100 })
})

test('a screen sees text, reasoning, the name of a call once, and its arguments', () => {
  const seen: Delta[] = []
  const one = assembler({ now: () => 0, taken: () => false, mint: () => 'm', onDelta: (delta) => seen.push(delta) })
  const chunks: readonly Chunk[] = [
    { kind: 'reasoning', block: 0, text: 'hm' },
    say('x', 1),
    call(2, 'k'),
    args(2, '{}'),
  ]
  for (const chunk of [...chunks, call(2, 'k'), say('', 1), say('wrong', 2)]) one.push(chunk)
  assert.deepEqual(seen, [
    { kind: 'reasoning', block: 0, text: 'hm' },
    { kind: 'text', block: 1, text: 'x' },
    { kind: 'call', block: 2, name: 'run' },
    { kind: 'arguments', block: 2, text: '{}' },
  ])
})
