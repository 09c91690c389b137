import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import type { Usage } from '@rein/session'
import type { Reply } from '../../src/model/assembler.ts'
import type { Chunk } from '../../src/model/chunk.ts'
import { assemble, calls, decodePieces, decodeText, fixture, reasoning, text } from './support.ts'

const reset = { code: 'NETWORK', message: 'ECONNRESET while talking to host' } as const
const folder = new URL('../fixtures/sse/', import.meta.url)
const streams = readdirSync(folder).map((file) => file.replace(/\.sse$/, ''))

/** Chunks with neighbouring text of one block joined: what must not depend on how the bytes were cut. */
const joined = (chunks: readonly Chunk[]): readonly Chunk[] => {
  const out: Chunk[] = []
  for (const chunk of chunks) {
    const last = out.at(-1)
    const same = last !== undefined && 'text' in last && 'text' in chunk && last.kind === chunk.kind
    if (same && last.block === chunk.block) out[out.length - 1] = { ...last, text: last.text + chunk.text }
    else out.push(chunk)
  }
  return out
}

const whole = (name: string): Reply => assemble(decodePieces([fixture(name)]))

for (const name of streams) {
  test(`${name} gives the same chunks whole, cut at every offset, and byte by byte`, () => {
    const bytes = fixture(name)
    const seen = (...pieces: readonly Uint8Array[]) => JSON.stringify(joined(decodePieces(pieces)))
    const expected = seen(bytes)
    assert.notEqual(expected, '[]')
    for (let at = 1; at < bytes.length; at++) {
      assert.equal(seen(bytes.subarray(0, at), bytes.subarray(at)), expected, `cut at ${at}`)
    }
    assert.equal(seen(...Array.from(bytes, (byte) => Uint8Array.of(byte))), expected)
  })

  test(`${name} that stops anywhere never yields a call or a finish it did not have`, () => {
    const bytes = fixture(name)
    const full = whole(name)
    for (let at = 0; at < bytes.length; at++) {
      // Own streams alternate between the two endings: there are many of them, and each byte costs.
      const cuts = name.startsWith('chat-') ? [undefined, reset] : [at % 2 === 0 ? undefined : reset]
      for (const cut of cuts) {
        const reply = assemble(decodePieces([bytes.subarray(0, at)], cut))
        const expected = reply.failure === undefined ? calls(full) : []
        assert.equal(JSON.stringify(calls(reply)), JSON.stringify(expected), `stopped at ${at}`)
        assert.ok(text(full).startsWith(text(reply)), `stopped at ${at}`)
        assert.notEqual(reply.failure?.code, 'BAD_RESPONSE', `stopped at ${at}`)
      }
    }
  })
}

const expectText = (name: string, expected: string, raw: string) => {
  const reply = whole(name)
  assert.equal(text(reply), expected)
  assert.equal(reply.failure, undefined)
  assert.equal(reply.finish?.raw, raw)
}

test('characters of several bytes come out whole', () => expectText('chat-split-utf8', '天气🙂é', 'stop'))
test('CR LF ends a line and the space after data: is optional', () =>
  expectText('chat-crlf', 'line one\nline two!', 'stop'))
test('comments, empty data and other events are not read as JSON', () => expectText('chat-keepalive', 'ab', 'stop'))
test('a byte order mark and lone CRs are understood', () => expectText('made-bom-cr', 'abc', 'stop'))
test('a finish word like "end" is kept and the text is whole', () => {
  expectText('chat-finish-end', 'done', 'end')
  assert.equal(whole('chat-finish-end').finish?.reason, 'stop')
})
test('a finish without [DONE] is a finish', () => expectText('made-finish-without-done', 'all', 'stop'))

test('an unknown finish word is kept as it is and does not throw', () => {
  const reply = decodeText('data: {"choices":[{"delta":{"content":"x"},"finish_reason":"__proto__"}]}\n\n')
  assert.deepEqual(reply.finish, { reason: 'other', raw: '__proto__' })
  assert.equal(reply.failure, undefined)
})

for (const [how, cut] of [
  ['closed', undefined],
  ['reset', reset],
] as const) {
  test(`text whose stream was ${how} without a finish is truncated, and kept`, () => {
    const reply = assemble(decodePieces([fixture('chat-truncated-text')], cut))
    assert.equal(reply.failure?.code, 'STREAM_TRUNCATED')
    assert.equal(reply.finish, null)
    assert.equal(text(reply), 'The fix has three parts. First, rename the')
  })

  test(`a call whose stream was ${how} in its arguments is dropped`, () => {
    const reply = assemble(decodePieces([fixture('chat-truncated-call')], cut))
    assert.equal(reply.failure?.code, 'STREAM_TRUNCATED')
    assert.deepEqual(calls(reply), [])
    assert.equal(reply.dropped[0]?.arguments, '{"path":"a.txt","text":"hel')
  })
}

test('[DONE] without a finish reason does not make half an answer a whole one', () => {
  assert.equal(whole('made-done-without-finish').failure?.code, 'STREAM_TRUNCATED')
})

test('a timer that ran out after the finish does not undo the reply', () => {
  const cut = { code: 'TIMEOUT_IDLE', message: 'stood still' } as const
  const reply = assemble(decodePieces([fixture('made-finish-without-done')], cut))
  assert.equal(reply.failure, undefined)
  assert.equal(text(reply), 'all')
})

test('a timer that ran out before the finish is the failure', () => {
  const cut = { code: 'TIMEOUT_IDLE', message: 'stood still' } as const
  assert.equal(assemble(decodePieces([fixture('chat-truncated-text')], cut)).failure?.code, 'TIMEOUT_IDLE')
})

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

test('reasoning is kept apart from text and calls', () => {
  const reply = whole('chat-reasoning-call')
  assert.equal(reasoning(reply), 'User wants the file list.')
  assert.equal(calls(reply).length, 1)
  assert.equal(reasoning(whole('made-mistral-parts')), 'Sum it.')
  assert.equal(text(whole('made-mistral-parts')), 'It is 4.')
})

const expectUsage = (name: string, expected: Usage) => assert.deepEqual(whole(name).usage, expected)

test('the last usage wins and is never added to an earlier one', () =>
  expectUsage('chat-usage', { input: 2, cacheRead: 8, cacheWrite: 0, output: 2 }))
test('cached and reasoning tokens of OpenAI are told apart', () =>
  expectUsage('made-openai-parallel', { input: 36, cacheRead: 64, cacheWrite: 0, output: 20, reasoning: 8 }))
test('cache hits of DeepSeek are cache reads', () =>
  expectUsage('made-deepseek-usage', { input: 100, cacheRead: 900, cacheWrite: 0, output: 10, reasoning: 4 }))
test('usage inside the choice is found', () =>
  expectUsage('made-moonshot-usage', { input: 9, cacheRead: 10, cacheWrite: 0, output: 13 }))
test('reasoning that is counted apart is added to the output', () =>
  expectUsage('made-xai-usage', { input: 32, cacheRead: 0, cacheWrite: 0, output: 103, reasoning: 94 }))

test('usage comes before the finish, and nothing comes after it', () => {
  const kinds = decodePieces([fixture('chat-usage'), fixture('chat-usage')]).map((chunk) => chunk.kind)
  assert.deepEqual(kinds, ['text', 'usage', 'usage', 'close', 'finish'])
})

const expectFailure = (name: string, code: string, kept: string) => {
  const reply = whole(name)
  assert.equal(reply.failure?.code, code)
  assert.equal(text(reply), kept)
}

test('an error in the middle of a stream is a failure with the text kept', () => {
  expectFailure('made-openrouter-error', 'SERVER_ERROR', 'Half an')
  expectFailure('made-vllm-error', 'SERVER_ERROR', 'Half')
  expectFailure('made-deepseek-overloaded', 'OVERLOADED', 'Half')
  expectFailure('made-filtered', 'CONTENT_FILTERED', 'Well,')
})

test('a field named error that holds null is no error', () => {
  const reply = decodeText('data: {"error":null,"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}\n\n')
  assert.equal(reply.failure, undefined)
})

test('an event that is no JSON is a bad response', () => {
  assert.equal(decodeText('data: {oops}\n\ndata: [DONE]\n\n').failure?.code, 'BAD_RESPONSE')
})

test('one JSON completion in place of a stream is the reply', () => {
  const message = {
    role: 'assistant',
    content: 'hi',
    tool_calls: [{ id: 'k', function: { name: 'f', arguments: '{}' } }],
  }
  const usage = { prompt_tokens: 3, completion_tokens: 1 }
  const reply = decodeText(
    `\n ${JSON.stringify({ choices: [{ message, finish_reason: 'tool_calls' }], usage }, null, 2)}\n`,
  )
  assert.equal(text(reply), 'hi')
  assert.deepEqual(calls(reply), [{ id: 'k', name: 'f', args: {} }])
  assert.deepEqual(reply.usage, { input: 3, cacheRead: 0, cacheWrite: 0, output: 1 })
  assert.equal(reply.finish?.reason, 'calls')
})

test('a JSON completion that breaks off is truncated', () => {
  assert.equal(decodeText('{"choices":[{"message":{"content":"hi').failure?.code, 'STREAM_TRUNCATED')
})

for (const [what, body, code] of [
  ['an error object', '{"error":{"message":"boom","type":"server_error"}}', 'SERVER_ERROR'],
  ['an error as plain text in JSON', '{"error":"maximum context length is 10 tokens"}', 'CONTEXT_WINDOW_EXCEEDED'],
  ['an error in a list', '[{"error":{"code":429,"message":"slow down"}}]', 'RATE_LIMITED'],
  ['a web page', '<!doctype html><title>Sign in</title>', 'BAD_RESPONSE'],
  ['JSON of something else', '{"ok":true}', 'BAD_RESPONSE'],
  ['nonsense', 'upstream connect error\n', 'BAD_RESPONSE'],
  ['nothing', '', 'EMPTY_RESPONSE'],
  ['white space', '\n\n', 'EMPTY_RESPONSE'],
  ['comments only', ': ping\n\n: ping\n\n', 'STREAM_TRUNCATED'],
  ['only [DONE]', 'data: [DONE]\n\n', 'EMPTY_RESPONSE'],
  ['only blank text', 'data: {"choices":[{"delta":{"content":" \\n"},"finish_reason":"stop"}]}\n\n', 'EMPTY_RESPONSE'],
] as const) {
  test(`a 200 that holds ${what} is ${code}`, () => {
    assert.equal(decodeText(body).failure?.code, code)
  })
}

test('a web page is named by its title', () => {
  assert.match(decodeText('<html><title>Sign in\u0007 here</title>').failure?.message ?? '', /: Sign in here$/)
})
