import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reply } from '../../src/model/assembler.ts'
import { assemble, calls, decodePieces, decodeText, fixture, text } from './support.ts'

const whole = (name: string): Reply => assemble(decodePieces([fixture(name)]))

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
