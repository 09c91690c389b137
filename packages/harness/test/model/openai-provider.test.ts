import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Result } from '@rein/session'
import { type OpenaiProviderOptions, openaiProvider } from '../../src/model/openai-provider.ts'
import { errorBody, mockServer } from '../../src/testing/mock-server.ts'
import { rawServer } from '../net/server.ts'
import { assemble, collect, encoded, failureIn, fixture, text, userSays } from './support.ts'

const key = (value: string) => ({
  kind: 'bearer' as const,
  read: (): Promise<Result<string>> => Promise.resolve({ ok: true, value }),
})

const providerAt = (baseUrl: string, rest: Partial<OpenaiProviderOptions> = {}) =>
  openaiProvider({ name: 'p', baseUrl, key: { kind: 'none' }, ...rest })

const hi = () => encoded(userSays('hi'), 7)
const whole = () => ({ body: [fixture('chat-split-utf8')] })

test('a request goes out as it was encoded, with its credential, and the reply comes back as chunks', async () => {
  await using server = await mockServer({ script: [whole()] })
  const request = hi()
  const chunks = await collect(providerAt(server.baseUrl, { key: key(' sk-1 \n'), userAgent: 'rein/9' }), request)
  assert.deepEqual(
    chunks.map((chunk) => (chunk.kind === 'moment' ? chunk.at : chunk.kind)),
    ['connected', 'first-byte', 'text', 'text', 'close', 'finish'],
  )
  assert.equal(text(assemble(chunks)), '天气🙂é')
  const [received] = server.received
  assert.equal(received?.body.equals(Buffer.concat(request.body)), true)
  assert.equal(received?.path, '/v1/chat/completions')
  assert.equal(received?.headers.authorization, 'Bearer sk-1')
  assert.equal(received?.headers['user-agent'], 'rein/9')
  assert.equal(received?.headers['content-type'], 'application/json')
})

test('the next request uses the connection of the one before, although its stream was left at [DONE]', async () => {
  await using server = await mockServer({ script: [whole(), whole()] })
  const provider = providerAt(server.baseUrl)
  await collect(provider, hi())
  // The end of the body comes a moment after [DONE]; a step that runs a tool gives it that time.
  await new Promise((resolve) => setTimeout(resolve, 30))
  await collect(provider, hi())
  assert.equal(server.received[0]?.port, server.received[1]?.port)
})

test('an endpoint that wants no key is sent none', async () => {
  await using server = await mockServer({ script: [whole()] })
  await collect(providerAt(`${server.baseUrl}/`), hi())
  assert.equal(server.received[0]?.headers.authorization, undefined)
})

test('a base URL keeps its query and may already name the whole path', async () => {
  await using server = await mockServer({ script: [whole(), whole()] })
  await collect(providerAt(`${server.baseUrl}?api-version=1`), hi())
  await collect(providerAt(`${server.baseUrl}/chat/completions`), hi())
  const paths = server.received.map((one) => one.path)
  assert.deepEqual(paths, ['/v1/chat/completions?api-version=1', '/v1/chat/completions'])
})

test('a configured key that is missing fails by its name, and nothing is sent', async () => {
  await using server = await mockServer()
  const failure = { code: 'NO_CREDENTIAL', message: 'MY_KEY is not set' } as const
  const read = () => Promise.resolve({ ok: false, failure } as const)
  const chunks = await collect(providerAt(server.baseUrl, { key: { kind: 'bearer', read } }), hi())
  assert.deepEqual(chunks, [{ kind: 'failed', failure }])
  assert.equal(server.received.length, 0)
})

for (const [what, value] of [
  ['blank', ' '],
  ['broken', 'sk-a\r\nx-evil: 1'],
] as const) {
  test(`a ${what} key is NO_CREDENTIAL, is not shown, and nothing is sent`, async () => {
    await using server = await mockServer()
    const failure = failureIn(await collect(providerAt(server.baseUrl, { key: key(value) }), hi()))
    assert.equal(failure?.code, 'NO_CREDENTIAL')
    assert.doesNotMatch(failure?.message ?? '', /sk-a|evil/)
    assert.equal(server.received.length, 0)
  })
}

for (const url of ['not a url', 'ftp://host/v1', 'http://me:secret@host/v1']) {
  test(`the base URL ${url} is BAD_SETTINGS`, async () => {
    const failure = failureIn(await collect(providerAt(url), hi()))
    assert.equal(failure?.code, 'BAD_SETTINGS')
    assert.doesNotMatch(failure?.message ?? '', /secret/)
  })
}

test('a refusal is classified, and a key the server repeats is taken out of its message', async () => {
  const answer = { status: 401, body: [errorBody('Incorrect API key provided: sk-top-secret', 'invalid_api_key')] }
  await using server = await mockServer({ script: [answer] })
  const failure = failureIn(await collect(providerAt(server.baseUrl, { key: key('sk-top-secret') }), hi()))
  assert.equal(failure?.code, 'AUTH')
  assert.equal(failure?.status, 401)
  assert.match(failure?.message ?? '', /Incorrect API key provided: \[key\]$/)
})

test('Retry-After reaches the one who decides', async () => {
  await using server = await mockServer({ script: [{ status: 429, headers: { 'retry-after': '5400' } }] })
  const failure = failureIn(await collect(providerAt(server.baseUrl), hi()))
  assert.equal(failure?.code, 'RATE_LIMITED')
  assert.equal(failure?.retryAfterMs, 5_400_000)
})

test('nothing is tried twice here: retries have one owner', async () => {
  await using server = await mockServer({ script: [{ status: 503 }, whole()] })
  assert.equal(failureIn(await collect(providerAt(server.baseUrl), hi()))?.code, 'OVERLOADED')
  assert.equal(server.received.length, 1)
})

for (const [what, answer, code] of [
  ['resets', { body: [fixture('chat-truncated-text')], ending: 'reset' }, 'STREAM_TRUNCATED'],
  ['closes', { body: [fixture('chat-truncated-text')] }, 'STREAM_TRUNCATED'],
  ['falls silent', { body: [fixture('chat-truncated-text')], ending: 'silence' }, 'TIMEOUT_IDLE'],
] as const) {
  test(`a stream that ${what} before its finish is ${code}, and what came is kept`, async () => {
    await using server = await mockServer({ script: [answer] })
    const reply = assemble(await collect(providerAt(server.baseUrl, { timeouts: { idle: 50 } }), hi()))
    assert.equal(reply.failure?.code, code)
    assert.equal(text(reply), 'The fix has three parts. First, rename the')
  })
}

test('80 bytes and then silence end by the idle limit, while pings would keep it alive', async () => {
  const start = fixture('chat-split-utf8').subarray(0, 80)
  const pings = Array.from({ length: 8 }, () => ({ afterMs: 20, bytes: ': ping\n\n' }))
  const rest = [fixture('chat-split-utf8').subarray(80)]
  const script = [
    { body: [start], ending: 'silence' as const },
    { body: [...pings, ...rest.map((bytes) => Buffer.concat([start, bytes]))] },
  ]
  await using server = await mockServer({ script })
  const provider = providerAt(server.baseUrl, { timeouts: { idle: 100 } })
  assert.equal(failureIn(await collect(provider, hi()))?.code, 'TIMEOUT_IDLE')
  assert.equal(text(assemble(await collect(provider, hi()))), '天气🙂é')
})

test('a stream that is over is not waited for, even when its socket stays open', async () => {
  await using server = await mockServer({ script: [{ ...whole(), ending: 'silence' }] })
  const reply = assemble(await collect(providerAt(server.baseUrl), hi()))
  assert.equal(reply.failure, undefined)
  assert.equal(await server.received[0]?.cut, true)
})

test('an abort just ends the chunks and closes the socket', async () => {
  await using server = await mockServer({ script: [{ body: [fixture('chat-truncated-text')], ending: 'silence' }] })
  const stop = new AbortController()
  const kinds: string[] = []
  for await (const chunk of providerAt(server.baseUrl).stream(hi(), stop.signal)) {
    kinds.push(chunk.kind)
    if (chunk.kind === 'text') stop.abort()
  }
  assert.ok(!kinds.includes('failed'))
  assert.ok(!kinds.includes('finish'))
  assert.equal(await server.received[0]?.cut, true)
})

test('an abort while an error page is read is no failure', async () => {
  await using server = await mockServer({ script: [{ status: 500, body: ['half'], ending: 'silence' }] })
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 30)
  const chunks = await collect(providerAt(server.baseUrl), hi(), stop.signal)
  assert.deepEqual(chunks, [{ kind: 'moment', at: 'connected' }])
})

test('a server that cannot be reached is NETWORK', async () => {
  const gone = await rawServer(() => undefined)
  await gone[Symbol.asyncDispose]()
  assert.equal(failureIn(await collect(providerAt(gone.url.origin), hi()))?.code, 'NETWORK')
})

test('the switches of a model come from its address and its name, and settings win', () => {
  const at = (baseUrl: string, model: string, rest: Partial<OpenaiProviderOptions> = {}) =>
    providerAt(baseUrl, rest).facts(model).quirks
  assert.equal(at('https://api.openai.com/v1', 'o3').systemRole, 'developer')
  assert.equal(at('https://api.openai.com/v1', 'gpt-5-mini').maxTokensField, 'max_completion_tokens')
  assert.equal(at('https://api.openai.com/v1', 'gpt-4.1').systemRole, 'system')
  assert.equal(at('https://api.openai.com.evil.test/v1', 'o3').systemRole, 'system')
  assert.equal(at('https://api.deepseek.com/v1', 'deepseek-chat').reasoningField, 'reasoning_content')
  assert.equal(at('https://openrouter.ai/api/v1', 'x').reasoningField, 'reasoning')
  assert.equal(at('https://api.groq.com/openai/v1', 'x').reasoningField, 'none')
  assert.equal(at('https://api.mistral.ai/v1', 'x').usageInStream, false)
  assert.equal(at('http://127.0.0.1:1/v1', 'o3').maxTokensField, 'max_tokens')
  assert.equal(at('http://127.0.0.1:1/v1', 'x', { quirks: { emptyContent: 'omit' } }).emptyContent, 'omit')
})

test('windows and prices are known where their maker gives them, from settings, or not at all', () => {
  const official = providerAt('https://api.openai.com/v1')
  assert.deepEqual(official.facts('gpt-4.1-2025-04-14').price, { input: 2, cacheRead: 0.5, cacheWrite: 2, output: 8 })
  assert.equal(official.facts('gpt-4.1').contextWindow, 1_047_576)
  assert.equal(official.facts('constructor').price, null)
  assert.equal(providerAt('https://proxy.test/v1').facts('gpt-4.1').contextWindow, null)
  const own = providerAt('http://h/v1', { models: { m: { contextWindow: 9, parameters: { temperature: 0 } } } })
  assert.equal(own.facts('m').contextWindow, 9)
  assert.deepEqual(own.facts('m').parameters, { temperature: 0 })
  assert.deepEqual(own.facts('n').parameters, {})
})
