// Reading a log needs no agent: parse it, fold it, prove it. Run it: node examples/06-read-a-log.ts [file]
import { createReadStream } from 'node:fs'
import { nodeHasher, providerRow, StorePort, scriptedProvider } from '@rein/harness'
import { fold, readLog, surface, turns, usage, verify } from '@rein/session'
import { say, startAgent } from './server/agent.ts'

const [file] = process.argv.slice(2)
const bytes: AsyncIterable<Uint8Array> = file ? createReadStream(file) : await freshLog()
const log = await readLog(bytes, { hasher: nodeHasher })
if (!log.ok) throw new Error(log.failure.message)
const { events, damage } = log.value
console.log(`${events.length} events, ${damage.length} damaged places`)
console.log(`${fold(turns, events).turn} turns, ${fold(usage, events).requests} model calls`)
for (const message of fold(surface, events).messages) console.log(`  ${message.seq} ${message.type}`)
const proof = verify(log.value, { hasher: nodeHasher, blob: () => undefined })
console.log(`${proof.answer}: ${proof.proved} of ${proof.requests} requests rebuilt byte for byte`)

/** Without a file: a session made here and now. */
async function freshLog(): Promise<AsyncIterable<Uint8Array>> {
  const provider = scriptedProvider({ script: [{ text: 'Hello.' }] })
  const rows = [{ id: 'provider:scripted', plugin: providerRow(provider) }]
  const { host, agent } = await startAgent({ preset: 'minimal', provider: 'scripted', rows })
  await say(agent, 'Hi.')
  await agent.close()
  const read = await host.get(StorePort)?.read(agent.session.id)
  await host[Symbol.asyncDispose]()
  if (!read?.ok) throw new Error('the session that was just written cannot be read')
  return read.value
}
