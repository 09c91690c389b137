import { playing, recording } from '../../src/model/cassette.ts'
import { openaiProvider } from '../../src/model/openai-provider.ts'
import type { Provider } from '../../src/model/provider.ts'
import { scriptedProvider } from '../../src/model/scripted.ts'
import { agents } from '../../src/net/agent.ts'
import { httpTransport, type Transport } from '../../src/net/http.ts'
import { mockServer } from '../../src/testing/mock-server.ts'
import { type ProviderUnderTest, providerContract } from '../../src/testing/provider-contract.ts'
import { collect, encoded, fixture, userSays } from './support.ts'

const good = encoded(userSays('go'), 11)
const refused = encoded(userSays(' '))
const over = (baseUrl: string, transport: Transport = httpTransport(agents())) =>
  openaiProvider({ name: 'p', baseUrl, key: { kind: 'none' }, transport })

const underTest = (provider: Provider, close: () => Promise<void> = () => Promise.resolve()): ProviderUnderTest => ({
  provider,
  good,
  refused,
  [Symbol.asyncDispose]: close,
})

const stream = fixture('made-openai-text')
const answer = { body: [stream.subarray(0, 420), { afterMs: 20, bytes: stream.subarray(420) }] }

providerContract('over HTTP', async () => {
  const server = await mockServer({ script: [answer, answer] })
  return underTest(over(server.baseUrl), server.close)
})

providerContract('scripted', async () => {
  const reply = { reasoning: 'hm', text: 'a longer answer', calls: [{ name: 'run', arguments: {} }] }
  return underTest(scriptedProvider({ script: [reply, reply], chunkSize: 4 }))
})

providerContract('from a cassette', async () => {
  await using server = await mockServer({ script: [answer] })
  const lines: string[] = []
  const append = (line: string) => Promise.resolve(void lines.push(line))
  await collect(
    over(
      server.baseUrl,
      recording(httpTransport(agents()), append, () => 0),
    ),
    good,
  )
  return underTest(over('http://nowhere.test/v1', playing(lines.join(''))))
})
