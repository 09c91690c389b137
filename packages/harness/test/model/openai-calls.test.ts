import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reply } from '../../src/model/assembler.ts'
import { assemble, calls, decodePieces, decodeText, fixture, text } from './support.ts'

const whole = (name: string): Reply => assemble(decodePieces([fixture(name)]))

const expectCalls = (name: string, expected: readonly unknown[]) => {
  const reply = whole(name)
  assert.equal(reply.failure, undefined)
  assert.equal(reply.finish?.reason, 'calls')
  assert.deepEqual(
    calls(reply).map(({ name: called, args }) => [called, args]),
    expected,
  )
}

test('a new id opens a call although its index repeats', () =>
  expectCalls('chat-same-index', [
    ['search', { q: 'red' }],
    ['search', { q: 'blue' }],
  ]))
test('an absent index is not zero', () =>
  expectCalls('chat-no-index', [
    ['get_weather', { city: 'Oslo' }],
    ['get_time', { tz: 'UTC' }],
    ['list', {}],
  ]))
test('empty arguments are an empty object', () => expectCalls('chat-empty-args', [['whoami', {}]]))
test('whole calls run although the finish says stop', () => expectCalls('chat-finish-stop-with-call', [['list', {}]]))
test('interleaved pieces find their calls by index', () =>
  expectCalls('made-openai-parallel', [
    ['get_weather', { city: 'Oslo' }],
    ['get_time', { tz: 'UTC' }],
  ]))
test('calls without any id are told apart by name and place', () =>
  expectCalls('made-no-ids', [
    ['a', { n: 1 }],
    ['b', { n: 2 }],
    ['c', { n: 3 }],
  ]))
test('an id and a name repeated in every piece are one call', () =>
  expectCalls('made-id-repeated', [['run', { cmd: 'ls' }]]))

test('one id for two places in one list is two calls with ids of their own', () => {
  const entry = (n: number) => `{"id":"same","function":{"name":"f","arguments":"{\\"n\\":${n}}"}}`
  const reply = decodeText(
    `data: {"choices":[{"delta":{"tool_calls":[${entry(1)},${entry(2)}]},"finish_reason":"tool_calls"}]}\n\n`,
  )
  assert.deepEqual(calls(reply), [
    { id: 'same', name: 'f', args: { n: 1 } },
    { id: 'minted-1', name: 'f', args: { n: 2 } },
  ])
})

const streamOf = (...entries: readonly object[]) =>
  decodeText(
    entries.map((entry) => `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [entry] } }] })}\n\n`).join('') +
      'data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}\n\n',
  )

test('a new id opens a call although the one at its index is not whole yet, and each id finds its own', () => {
  const reply = streamOf(
    { index: 0, id: 'k1', function: { name: 'f', arguments: '{"n":' } },
    { index: 0, id: 'k2', function: { name: 'g', arguments: '{"m":' } },
    { index: 0, id: 'k1', function: { arguments: '1}' } },
    { index: 0, function: { arguments: '2}' } },
  )
  assert.deepEqual(calls(reply), [
    { id: 'k1', name: 'f', args: { n: 1 } },
    { id: 'k2', name: 'g', args: { m: 2 } },
  ])
})

test('an id that comes after the name belongs to the call that waits for it', () => {
  const reply = streamOf(
    { index: 0, function: { name: 'f', arguments: '' } },
    { index: 0, id: 'k1', function: { arguments: '{}' } },
  )
  assert.deepEqual(calls(reply), [{ id: 'k1', name: 'f', args: {} }])
})

test('an id that comes with a name is a call of its own, also behind one without id', () => {
  const reply = streamOf(
    { index: 0, function: { name: 'f', arguments: '{"n":1' } },
    { index: 0, id: 'k2', function: { name: 'g', arguments: '{}' } },
  )
  assert.deepEqual(
    reply.content.map((block) => block.type === 'call' && [block.name, block.arguments]),
    [
      ['f', '{"n":1'],
      ['g', '{}'],
    ],
  )
})

test('an id the session has already is replaced, and what the provider called it is kept', () => {
  assert.equal(calls(whole('chat-dup-id-turn1'))[0]?.id, 'run:0')
  const second = assemble(decodePieces([fixture('made-dup-id-turn2')]), (id) => id === 'run:0')
  assert.deepEqual(second.content, [
    { type: 'call', id: 'minted-1', name: 'run', arguments: '{"cmd":"pwd"}', wireId: 'run:0' },
  ])
})

test('a delta of unknown fields only is an empty reply, whatever its finish word', () => {
  const reply = whole('chat-dup-id-turn2')
  assert.equal(reply.failure?.code, 'EMPTY_RESPONSE')
  assert.equal(reply.finish?.raw, 'tool_calpwd')
})

test('a reply cut by the token limit is a visible cut', () => {
  const reply = whole('chat-finish-length')
  assert.equal(reply.finish?.reason, 'length')
  assert.equal(text(reply), 'part')
  assert.equal(reply.failure, undefined)
})

test('a reply cut by the token limit runs none of its calls, even those that parse', () => {
  const reply = whole('made-length-call')
  assert.deepEqual(calls(reply), [])
  assert.deepEqual(reply.dropped, [{ type: 'call', id: 'k1', name: 'write', arguments: '{"path":"a.txt"}' }])
  assert.equal(reply.finish?.reason, 'length')
})
