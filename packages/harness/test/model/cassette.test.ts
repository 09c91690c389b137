import assert from 'node:assert/strict'
import { test } from 'node:test'
import { playing, recording } from '../../src/model/cassette.ts'
import type { Chunk } from '../../src/model/chunk.ts'
import { openaiProvider } from '../../src/model/openai-provider.ts'
import { agents } from '../../src/net/agent.ts'
import { httpTransport, type Transport } from '../../src/net/http.ts'
import { type Answer, errorBody, mockServer } from '../../src/testing/mock-server.ts'
import { assemble, collect, encoded, failureIn, fixture, text, userSays } from './support.ts'

const providerOver = (baseUrl: string, transport: Transport) =>
  openaiProvider({
    name: 'p',
    baseUrl,
    key: { kind: 'bearer', read: () => Promise.resolve({ ok: true, value: 'sk-secret' }) },
    transport,
  })

/** Run these answers live and record them. @returns the cassette and what was seen live. */
const record = async (...answers: readonly Answer[]) => {
  await using server = await mockServer({ script: answers })
  const lines: string[] = []
  let clock = 0
  const append = (line: string) => {
    lines.push(line)
    return Promise.resolve()
  }
  const transport = recording(httpTransport(agents()), append, () => clock++)
  const provider = providerOver(server.baseUrl, transport)
  const live: (readonly Chunk[])[] = []
  for (const at of answers.keys()) live.push(await collect(provider, encoded(userSays(`n ${at}`))))
  return { cassette: lines.join(''), live }
}

const streamed = (name: string): Answer => ({
  headers: { 'content-type': 'text/event-stream', 'set-cookie': 'a=secret' },
  body: [fixture(name).subarray(0, 40), { afterMs: 3, bytes: fixture(name).subarray(40) }],
})

test('what was recorded plays the same chunks again: replies, refusals and broken streams', async () => {
  const refusal = { status: 429, headers: { 'retry-after': '2' }, body: [errorBody('slow down', 'rate')] }
  const broken: Answer = { ...streamed('chat-truncated-call'), ending: 'reset' }
  const { cassette, live } = await record(streamed('chat-usage'), refusal, broken)
  const provider = providerOver('http://nowhere.test/v1', playing(cassette))
  for (const [at, expected] of live.entries()) {
    const played = await collect(provider, encoded(userSays(`n ${at}`)))
    const plain = (chunks: readonly Chunk[]) =>
      JSON.stringify(chunks).replaceAll(/(127\.0\.0\.1:\d+|nowhere\.test)/g, 'host')
    assert.equal(plain(played), plain(expected))
  }
  assert.equal(live[1] === undefined ? undefined : failureIn(live[1])?.retryAfterMs, 2_000)
})

test('a cassette holds neither credential nor request nor cookies', async () => {
  const { cassette } = await record(streamed('chat-usage'))
  assert.match(cassette, /"cassette":1/)
  assert.doesNotMatch(cassette, /secret|n 0|authorization/i)
})

test('a request that is not the recorded one is refused with both hashes', async () => {
  const { cassette } = await record(streamed('chat-usage'))
  const other = encoded(userSays('something else'))
  const failure = failureIn(await collect(providerOver('http://nowhere.test/v1', playing(cassette)), other))
  assert.equal(failure?.code, 'REQUEST_DIVERGED')
  assert.ok(failure?.message.includes(other.sha256))
  assert.ok(failure?.message.includes(encoded(userSays('n 0')).sha256))
})

test('a cassette that is over, or is none, is a failure', async () => {
  const over = await collect(providerOver('http://nowhere.test/v1', playing('')), encoded(userSays('x')))
  assert.equal(failureIn(over)?.code, 'BAD_RESPONSE')
  for (const line of [
    'not json',
    '{"cassette":2}',
    '{"cassette":1,"request":{"sha256":"x"},"reply":{"status":200,"pieces":[[1]]}}',
  ]) {
    const bad = await collect(providerOver('http://nowhere.test/v1', playing(line)), encoded(userSays('x')))
    assert.match(failureIn(bad)?.message ?? '', /line 1 of the cassette cannot be read/)
  }
})

test('a paced cassette keeps the recorded times', async () => {
  const { cassette } = await record(streamed('chat-usage'))
  const slept: number[] = []
  const sleep = (ms: number) => {
    slept.push(ms)
    return Promise.resolve()
  }
  const provider = providerOver('http://nowhere.test/v1', playing(cassette, { paced: true, sleep }))
  assert.equal(text(assemble(await collect(provider, encoded(userSays('n 0'))))), 'hi')
  assert.ok(slept.length >= 1)
})
