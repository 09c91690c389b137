// A model provider of one's own: it is given the exact bytes and answers in chunks. Here it only says how much it was
// sent. Run it: node examples/03-own-provider.ts
import { type Chunk, type EncodedRequest, type Provider, providerRow, scriptedProvider } from '@rein/harness'
import { say, startAgent } from './server/agent.ts'

const weigher: Provider = {
  name: 'weigher',
  dialect: 'openai-chat',
  // What a model can do is borrowed from the scripted one: no known window, no price.
  facts: (model) => scriptedProvider({ script: [] }).facts(model),
  async *stream(request: EncodedRequest, signal: AbortSignal): AsyncGenerator<Chunk> {
    if (signal.aborted) return
    yield { kind: 'text', block: 0, text: `You sent ${request.bytes} bytes ` }
    yield { kind: 'text', block: 0, text: `in ${request.body.length} pieces.` }
    const usage = { input: Math.ceil(request.bytes / 4), cacheRead: 0, cacheWrite: 0, output: 12 }
    yield { kind: 'usage', usage }
    yield { kind: 'finish', finish: { reason: 'stop', raw: 'stop' } }
  },
}

const rows = [{ id: 'provider:weigher', plugin: providerRow(weigher) }]
const { host, agent } = await startAgent({ preset: 'minimal', provider: 'weigher', rows })
agent.listen({ delta: (delta) => process.stdout.write(delta.kind === 'text' ? delta.text : '') })
await say(agent, 'Hello?')
console.log()
await agent.close()
await host[Symbol.asyncDispose]()
