import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { agents } from '../../src/net/agent.ts'
import { readText } from '../../src/net/body.ts'
import { httpTransport } from '../../src/net/http.ts'
import { defaultTimeouts } from '../../src/net/watch.ts'
import { bodyOf, codeOf, drain, hello, lenient, post } from './exchange.ts'
import { onRequest, rawServer } from './server.ts'

test('a body of ten thousand pieces arrives byte for byte, with its length', async () => {
  await using server = await lenient({ body: ['ok'] })
  const body = Array.from({ length: 10_000 }, (_, at) => Buffer.from(`${at},`.repeat((at % 7) + 1)))
  const { text } = await drain(bodyOf(await post(`${server.baseUrl}/chat/completions`, { body })))
  assert.equal(text, 'ok')
  const [received] = server.received
  assert.equal(received?.body.equals(Buffer.concat(body)), true)
  assert.equal(received?.headers['content-length'], String(received?.body.length))
})

test('a body larger than any socket buffer waits for a slow reader and arrives whole', async () => {
  const piece = randomBytes(100_000)
  const body = Array.from({ length: 120 }, () => piece)
  const expected = createHash('sha256')
  for (const one of body) expected.update(one)
  const got = createHash('sha256')
  let first = true
  await using server = await rawServer((socket) => {
    let left = 12_000_000
    socket.on('data', (bytes) => {
      if (first) {
        first = false
        socket.pause()
        setTimeout(() => socket.resume(), 30)
      }
      const at = left === 12_000_000 ? bytes.indexOf('\r\n\r\n') + 4 : 0
      const part = bytes.subarray(at)
      if (at === 3) return
      left -= part.length
      got.update(part)
      if (left === 0) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
    })
  })
  assert.equal((await drain(bodyOf(await post(server.url, { body })))).ending, 'clean')
  assert.equal(got.digest('hex'), expected.digest('hex'))
})

test('a server may answer before it has the whole body', async () => {
  const closed = Promise.withResolvers<void>()
  await using server = await rawServer((socket) => {
    socket.on('close', () => closed.resolve())
    onRequest(socket, () => {
      socket.pause()
      socket.write('HTTP/1.1 400 Bad Request\r\ncontent-length: 4\r\n\r\nlate')
      setTimeout(() => socket.resume(), 40)
    })
  })
  const body = Array.from({ length: 200 }, () => Buffer.alloc(100_000))
  const exchange = await post(server.url, { body })
  assert.deepEqual(await drain(bodyOf(exchange)), { text: 'late', ending: 'clean' })
  // The rest of the body is given up with the connection.
  await closed.promise
})

test('a server that does not read holds the sender back instead of filling its memory', async () => {
  await using server = await rawServer((socket) => socket.pause())
  const piece = Buffer.alloc(100_000)
  let asked = 0
  const body = new Proxy(
    Array.from({ length: 400 }, () => piece),
    {
      get: (pieces, at, receiver) => {
        if (typeof at === 'string' && /^\d+$/.test(at)) asked++
        return Reflect.get(pieces, at, receiver)
      },
    },
  )
  const stop = new AbortController()
  const counted = new Promise<number>((resolve) =>
    setTimeout(() => {
      resolve(asked - 400)
      stop.abort()
    }, 60),
  )
  assert.equal((await post(server.url, { body, signal: stop.signal })).kind, 'aborted')
  const sent = await counted
  assert.ok(sent > 0 && sent < 300, `${sent} pieces of 400`)
})

test('an HTTP/1.0 reply ends with its connection', async () => {
  await using server = await rawServer((socket) =>
    onRequest(socket, () => socket.end('HTTP/1.0 200 OK\r\n\r\nold but whole')),
  )
  assert.deepEqual(await drain(bodyOf(await post(server.url))), { text: 'old but whole', ending: 'clean' })
})

test('chunk extensions are no part of the body', async () => {
  await using server = await rawServer((socket) =>
    onRequest(socket, () =>
      socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3;name="v"\r\nabc\r\n0;last\r\n\r\n'),
    ),
  )
  assert.deepEqual(await drain(bodyOf(await post(server.url))), { text: 'abc', ending: 'clean' })
})

test('something that is no HTTP is BAD_RESPONSE', async () => {
  await using server = await rawServer((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'))
  assert.equal(codeOf(await post(server.url)), 'BAD_RESPONSE')
})

test('a redirect is not followed and names its target without its query', async () => {
  await using server = await lenient({ status: 307, headers: { location: 'https://elsewhere.test/v1?token=x' } })
  const exchange = await post(server.baseUrl)
  assert.equal(codeOf(exchange), 'BAD_RESPONSE')
  assert.match(exchange.kind === 'failed' ? exchange.failure.message : '', /elsewhere\.test\/v1;/)
  assert.equal(server.received.length, 1)
})

for (const [name, pack] of [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const) {
  test(`a ${name} reply is decoded`, async () => {
    const text = 'data: {"a":1}\n\n'.repeat(50)
    const bytes = pack(text)
    const body = [bytes.subarray(0, 20), { afterMs: 5, bytes: bytes.subarray(20) }]
    await using server = await lenient({ headers: { 'content-encoding': name }, body })
    assert.deepEqual(await drain(bodyOf(await post(server.baseUrl))), { text, ending: 'clean' })
  })
}

test('a gzip reply that is reset gives what had come, and says it was cut', async () => {
  const bytes = gzipSync(randomBytes(3_000).toString('hex'))
  const body = [bytes.subarray(0, 2_000)]
  await using server = await lenient({ headers: { 'content-encoding': 'gzip' }, body, ending: 'reset' })
  const { text, ending } = await drain(bodyOf(await post(server.baseUrl)))
  assert.ok(text.length > 1_000)
  assert.equal(ending, 'NETWORK')
})

for (const [what, encoding, bytes] of [
  ['bytes that do not decode', 'gzip', 'not gzip at all'],
  ['an encoding nobody asked for', 'x-own', 'whatever'],
] as const) {
  test(`${what} end in BAD_RESPONSE`, async () => {
    await using server = await lenient({ headers: { 'content-encoding': encoding }, body: [bytes] })
    assert.equal((await drain(bodyOf(await post(server.baseUrl)))).ending, 'BAD_RESPONSE')
  })
}

test('an abort in the middle of a body closes the socket and is no failure', async () => {
  await using server = await lenient({ body: ['data: 1\n\n'], ending: 'silence' })
  const stop = new AbortController()
  const body = bodyOf(await post(server.baseUrl, { signal: stop.signal }))
  for await (const piece of body.bytes) {
    assert.equal(Buffer.from(piece).toString(), 'data: 1\n\n')
    stop.abort()
  }
  assert.deepEqual(body.ending(), { kind: 'aborted' })
  assert.equal(await server.received[0]?.cut, true)
})

test('an abort before the head, or before anything, is no failure either', async () => {
  await using server = await rawServer(() => undefined)
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 20)
  assert.equal((await post(server.url, { signal: stop.signal })).kind, 'aborted')
  assert.equal((await post(server.url, { signal: stop.signal })).kind, 'aborted')
})

test('a reader that leaves before the end lets the socket go', async () => {
  await using server = await lenient({ body: ['data: 1\n\n'], ending: 'silence' })
  const body = bodyOf(await post(server.baseUrl))
  for await (const _ of body.bytes) break
  assert.equal(await server.received[0]?.cut, true)
})

test('a second request uses the connection of the first', async () => {
  const ports = new Set<number | undefined>()
  await using server = await lenient({ body: ['a'] }, { body: ['b'] })
  const send = httpTransport(agents())
  for (const expected of ['a', 'b']) {
    const exchange = await send({
      url: new URL(server.baseUrl),
      headers: {},
      body: [hello],
      timeouts: defaultTimeouts,
      signal: new AbortController().signal,
    })
    assert.equal((await drain(bodyOf(exchange))).text, expected)
  }
  for (const one of server.received) ports.add(one.port)
  assert.equal(ports.size, 1)
})

test('no more of an error page is read than its limit', async () => {
  await using server = await lenient({ status: 500, body: ['x'.repeat(50_000), 'y'.repeat(50_000)], ending: 'silence' })
  const text = await readText(bodyOf(await post(server.baseUrl)))
  assert.equal(text.length, 65_536)
})
