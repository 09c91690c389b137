import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyOf, codeOf, drain, lenient, limits, post } from './exchange.ts'
import { rawServer } from './server.ts'

test('a connection that is never made is TIMEOUT_CONNECT', async () => {
  // A TLS handshake that the other side never takes up.
  await using server = await rawServer(() => undefined)
  const url = server.url.href.replace('http:', 'https:')
  assert.equal(codeOf(await post(url, limits({ connect: 40 }))), 'TIMEOUT_CONNECT')
})

test('a server that takes the request and says nothing is TIMEOUT_FIRST_BYTE', async () => {
  await using server = await rawServer(() => undefined)
  assert.equal(codeOf(await post(server.url, limits({ firstByte: 40 }))), 'TIMEOUT_FIRST_BYTE')
})

test('a head without a body is TIMEOUT_FIRST_BYTE, because the first byte of the reply is that of its body', async () => {
  await using server = await lenient({ ending: 'silence' })
  const body = bodyOf(await post(server.baseUrl, limits({ firstByte: 40, idle: 5_000 })))
  assert.equal((await drain(body)).ending, 'TIMEOUT_FIRST_BYTE')
})

test('a body that stops half-way is TIMEOUT_IDLE, and what came is kept', async () => {
  await using server = await lenient({ body: ['data: half'], ending: 'silence' })
  const body = bodyOf(await post(server.baseUrl, limits({ idle: 40 })))
  assert.deepEqual(await drain(body), { text: 'data: half', ending: 'TIMEOUT_IDLE' })
})

test('keep-alive comments keep a body alive far beyond the idle limit', async () => {
  const ping = { afterMs: 25, bytes: ': ping\n\n' }
  await using server = await lenient({ body: Array.from({ length: 10 }, () => ping) })
  const body = bodyOf(await post(server.baseUrl, limits({ idle: 120 })))
  assert.deepEqual(await drain(body), { text: ': ping\n\n'.repeat(10), ending: 'clean' })
})

test('a reader that takes its time is not a server that stands still', async () => {
  await using server = await lenient({ body: ['one', { afterMs: 5, bytes: 'two' }] })
  const body = bodyOf(await post(server.baseUrl, limits({ idle: 30 })))
  let text = ''
  for await (const piece of body.bytes) {
    text += Buffer.from(piece).toString()
    await new Promise((resolve) => setTimeout(resolve, 60))
  }
  assert.equal(text, 'onetwo')
  assert.equal(body.ending().kind, 'clean')
})

test('a limit of 0 is a mistake of the caller, not "no limit"', async () => {
  await assert.rejects(post('http://127.0.0.1:9', limits({ idle: 0 })), RangeError)
})

test('a refused connection is NETWORK and names the code of the system', async () => {
  const gone = await rawServer(() => undefined)
  await gone[Symbol.asyncDispose]()
  const exchange = await post(gone.url)
  assert.equal(codeOf(exchange), 'NETWORK')
  assert.match(exchange.kind === 'failed' ? exchange.failure.message : '', /ECONNREFUSED/)
})

for (const ending of ['reset', 'close'] as const) {
  test(`a body whose socket is ${ending === 'reset' ? 'reset' : 'closed before its end'} is not a clean end`, async () => {
    await using server = await lenient({ body: ['part'], ending })
    assert.deepEqual(await drain(bodyOf(await post(server.baseUrl))), { text: 'part', ending: 'NETWORK' })
  })
}
