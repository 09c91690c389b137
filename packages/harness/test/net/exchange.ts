import assert from 'node:assert/strict'
import { agents } from '../../src/net/agent.ts'
import { type Body, readText } from '../../src/net/body.ts'
import { type Exchange, type HttpRequest, httpTransport } from '../../src/net/http.ts'
import { defaultTimeouts } from '../../src/net/watch.ts'
import { type Answer, mockServer } from '../../src/testing/mock-server.ts'

export const hello = Buffer.from('{"hello":1}')

export const post = (url: URL | string, rest: Partial<HttpRequest> = {}): Promise<Exchange> =>
  httpTransport(agents())({
    url: new URL(url),
    headers: { 'content-type': 'application/json' },
    body: [hello],
    timeouts: defaultTimeouts,
    signal: new AbortController().signal,
    ...rest,
  })

export const bodyOf = (exchange: Exchange): Body => {
  assert.equal(exchange.kind, 'reply', JSON.stringify(exchange))
  return exchange.kind === 'reply' ? exchange.reply.body : assert.fail()
}

export const codeOf = (exchange: Exchange) => (exchange.kind === 'failed' ? exchange.failure.code : exchange.kind)

export const limits = (one: Partial<typeof defaultTimeouts>) => ({ timeouts: { ...defaultTimeouts, ...one } })

export const drain = async (body: Body) => {
  const text = await readText(body)
  const ending = body.ending()
  return { text, ending: ending.kind === 'early' ? ending.failure.code : ending.kind }
}

export const lenient = (...script: readonly Answer[]) => mockServer({ strict: false, script })
