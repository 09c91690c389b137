import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { agents, type Environment, proxyVariable } from '../../src/net/agent.ts'
import { readText } from '../../src/net/body.ts'
import { httpTransport } from '../../src/net/http.ts'
import { defaultTimeouts } from '../../src/net/watch.ts'

const variable = (url: string, environment: Environment) => proxyVariable(new URL(url), environment)

test('a proxy is named by the variable of its scheme, the lower-case one first', () => {
  assert.equal(variable('https://api.test/', { HTTPS_PROXY: 'http://p', https_proxy: 'http://q' }), 'https_proxy')
  assert.equal(variable('https://api.test/', { HTTP_PROXY: 'http://p' }), undefined)
  assert.equal(variable('http://api.test/', { HTTP_PROXY: 'http://p' }), 'HTTP_PROXY')
  assert.equal(variable('http://api.test/', { HTTP_PROXY: '' }), undefined)
})

test('a server on this machine is never reached through a proxy', () => {
  for (const host of ['localhost', '127.0.0.1', '127.8.8.8', '[::1]']) {
    assert.equal(variable(`http://${host}:11434/v1`, { HTTP_PROXY: 'http://p' }), undefined, host)
  }
})

const send = (environment: Environment, nodeVersion?: string) =>
  httpTransport(agents({ environment, ...(nodeVersion === undefined ? {} : { nodeVersion }) }))({
    url: new URL('http://model.test/v1/chat/completions?x=1'),
    headers: { authorization: 'Bearer k' },
    body: [Buffer.from('{}')],
    timeouts: defaultTimeouts,
    signal: new AbortController().signal,
  })

test('a configured proxy is asked for the address of the model', async () => {
  const asked: (string | undefined)[] = []
  const proxy = createServer((request, response) => {
    asked.push(request.url)
    response.end('through the proxy')
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address()
  const port = typeof address === 'object' && address !== null ? address.port : assert.fail()
  const exchange = await send({ HTTP_PROXY: `http://127.0.0.1:${port}` })
  assert.ok(exchange.kind === 'reply', JSON.stringify(exchange))
  assert.equal(await readText(exchange.reply.body), 'through the proxy')
  assert.deepEqual(asked, ['http://model.test/v1/chat/completions?x=1'])
  proxy.close()
  proxy.closeAllConnections()
})

test('a Node that cannot use a proxy says so instead of going around it', async () => {
  const exchange = await send({ HTTP_PROXY: 'http://127.0.0.1:9' }, '22.19.0')
  assert.equal(exchange.kind === 'failed' ? exchange.failure.code : exchange.kind, 'BAD_SETTINGS')
})
