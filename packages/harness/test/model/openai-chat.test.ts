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
