import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { classify, classifyError } from '../../src/model/classify.ts'
import { objectOf } from '../../src/model/json.ts'

const now = Date.UTC(2026, 0, 1, 12, 0, 0)
const from = 'api.test'
const of = (status: number, body: unknown = '', headers: Record<string, string> = {}) =>
  classify({ status, headers, body: typeof body === 'string' ? body : JSON.stringify(body), from }, now)
const error = (fields: object) => ({ error: fields })

const table: readonly (readonly [string, number, unknown, string])[] = [
  ['401', 401, error({ message: 'Incorrect API key', code: 'invalid_api_key' }), 'AUTH'],
  ['403', 403, 'Forbidden', 'AUTH'],
  ['402', 402, error({ message: 'Insufficient Balance' }), 'QUOTA'],
  ['429 of an empty account', 429, error({ type: 'insufficient_quota', code: 'insufficient_quota' }), 'QUOTA'],
  ['429 without the usual words', 429, 'Provider returned error', 'RATE_LIMITED'],
  ['429 that speaks of tokens', 429, error({ message: 'too many tokens per minute' }), 'RATE_LIMITED'],
  ['429 that speaks of a context', 429, error({ message: 'maximum context length' }), 'RATE_LIMITED'],
  ['429 whose code speaks of a context', 429, error({ code: 'context_length_exceeded' }), 'RATE_LIMITED'],
  ['404 of a model', 404, error({ message: 'The model `x` does not exist', code: 'model_not_found' }), 'NO_SUCH_MODEL'],
  ['404 of a local model', 404, error({ message: 'model "x" not found', type: 'api_error' }), 'NO_SUCH_MODEL'],
  ['404 of a wrong path', 404, '<html><title>404 Not Found</title>', 'BAD_REQUEST'],
  ['400', 400, error({ message: 'bad', type: 'invalid_request_error' }), 'BAD_REQUEST'],
  ['422', 422, { detail: [{ loc: ['body'], msg: 'field required' }] }, 'BAD_REQUEST'],
  ['400 by code', 400, error({ code: 'context_length_exceeded' }), 'CONTEXT_WINDOW_EXCEEDED'],
  ['400 by words', 400, error({ message: 'maximum context length is 1000 tokens' }), 'CONTEXT_WINDOW_EXCEEDED'],
  ['400 by other words', 400, error({ message: 'prompt is too long: 9 tokens' }), 'CONTEXT_WINDOW_EXCEEDED'],
  ['413', 413, '<html><title>413 Request Entity Too Large</title>', 'CONTEXT_WINDOW_EXCEEDED'],
  ['400 of a filter', 400, error({ code: 'content_filter', message: 'filtered' }), 'CONTENT_FILTERED'],
  ['400 of a nested filter', 400, error({ innererror: { code: 'ResponsibleAIPolicyViolation' } }), 'CONTENT_FILTERED'],
  ['408', 408, '', 'SERVER_ERROR'],
  ['409', 409, '', 'SERVER_ERROR'],
  ['418', 418, '', 'BAD_REQUEST'],
  ['500', 500, '', 'SERVER_ERROR'],
  ['500 that speaks of a context', 500, error({ message: 'maximum context length' }), 'SERVER_ERROR'],
  ['502 page', 502, '<html><head><title>502 Bad Gateway</title>', 'SERVER_ERROR'],
  ['503', 503, '', 'OVERLOADED'],
  ['504', 504, '', 'SERVER_ERROR'],
  ['529', 529, error({ type: 'overloaded_error' }), 'OVERLOADED'],
]

for (const [what, status, body, code] of table) {
  test(`${what} is ${code}`, () => {
    const failure = of(status, body)
    assert.equal(failure.code, code)
    assert.equal(failure.status, status)
    assert.match(failure.message, new RegExp(`^api\\.test answered HTTP ${status}`))
  })
}

test('the message says what the server said, on one line', () => {
  assert.equal(
    of(400, error({ message: 'no\u001b[31m such\r\nthing' })).message,
    'api.test answered HTTP 400: no [31m such thing',
  )
  assert.equal(of(502, '<title>Bad\nGateway</title>').message, 'api.test answered HTTP 502: Bad Gateway')
  assert.equal(of(422, { detail: [{ msg: 'field required' }] }).message, 'api.test answered HTTP 422: field required')
})

for (const [what, headers, expected] of [
  ['seconds', { 'retry-after': '90' }, 90_000],
  ['zero', { 'retry-after': '0' }, 0],
  ['a fraction', { 'retry-after': '1.5' }, 1_500],
  ['a date', { 'retry-after': 'Thu, 01 Jan 2026 12:00:02 GMT' }, 2_000],
  ['a date gone by', { 'retry-after': 'Thu, 01 Jan 2026 11:00:00 GMT' }, 0],
  ['milliseconds, which are more exact', { 'retry-after-ms': '250', 'retry-after': '1' }, 250],
  ['nonsense', { 'retry-after': 'soon' }, undefined],
] as const) {
  test(`Retry-After in ${what} is read`, () => {
    assert.equal(of(429, '', headers).retryAfterMs, expected)
  })
}

test("the server's own word on trying again is kept", () => {
  assert.equal(of(500, '', { 'x-should-retry': 'false' }).retryable, false)
  assert.equal(of(400, '', { 'x-should-retry': 'true' }).retryable, true)
  assert.equal('retryable' in of(500), false)
})

for (const [what, given, code] of [
  ['text', 'it broke', 'SERVER_ERROR'],
  ['a status as its code', { code: 503, message: 'x' }, 'OVERLOADED'],
  ['a status as text', { code: '429', message: 'x' }, 'RATE_LIMITED'],
  ['a type', { type: 'overloaded_error' }, 'OVERLOADED'],
  ['a type of the request', { type: 'invalid_request_error', message: 'x' }, 'BAD_REQUEST'],
  ['the words of a full window', { message: 'This exceeds the context window' }, 'CONTEXT_WINDOW_EXCEEDED'],
  ['nothing known', { odd: true }, 'SERVER_ERROR'],
] as const) {
  test(`an error inside a stream that has ${what} is ${code}`, () => {
    assert.equal(classifyError(given).code, code)
  })
}

/** What each script of the shared case expects of the first answer. */
const expectations: { readonly [script: string]: string } = {
  'small-retry-after': 'RATE_LIMITED',
  'long-retry-after': 'RATE_LIMITED',
  'http-date': 'OVERLOADED',
  'bare-429': 'RATE_LIMITED',
  'overflow-is-not-rate-limit': 'CONTEXT_WINDOW_EXCEEDED',
  'rate-limit-is-not-overflow': 'RATE_LIMITED',
}

test('every answer of the retry scripts is classified as the script means it', () => {
  const file = new URL('../fixtures/http/retry-script.json', import.meta.url)
  const { scripts } = JSON.parse(readFileSync(file, 'utf8')) as {
    scripts: readonly { name: string; responses: unknown[] }[]
  }
  const seen = new Set<string>()
  for (const { name, responses } of scripts) {
    const first = objectOf(responses[0]) ?? {}
    if (first['status'] === 200) continue
    seen.add(name)
    const headers = Object.entries(objectOf(first['headers']) ?? {}).map(([key, value]) => [key, String(value)])
    const failure = of(Number(first['status']), first['body'] ?? '', Object.fromEntries(headers))
    assert.equal(failure.code, expectations[name], name)
  }
  assert.deepEqual([...seen].sort(), Object.keys(expectations).sort())
})
