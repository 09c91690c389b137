// An agent inside another program: streaming, steering while a turn runs, and replacing a plugin in flight.
// Run it: node examples/05-embed.ts
import { providerRow, scriptedProvider } from '@rein/harness'
import { startAgent } from './server/agent.ts'

const look = { delayMs: 50, calls: [{ name: 'glob', arguments: { pattern: '*' } }] }
const first = scriptedProvider({ name: 'local', script: [look] })
const second = scriptedProvider({ name: 'local', script: [{ text: 'Done, said by the second provider.' }] })
const rows = [{ id: 'provider:local', plugin: providerRow(first) }]
const { host, agent } = await startAgent({ preset: 'minimal', provider: 'local', rows })

agent.listen({
  phase: (phase) => console.log(`agent is ${phase}`),
  delta: (delta) => process.stdout.write(delta.kind === 'call' ? `[${delta.name}] ` : delta.text),
})
await agent.post({
  delivery: 'followup',
  content: [{ type: 'text', text: 'Look around.' }],
  source: { kind: 'person' },
})
await new Promise((soon) => setTimeout(soon, 20))
// The next attempt uses the new provider; the one under way ends on the old one. The session does not notice.
await host.replace('provider:local', providerRow(second))
await agent.post({ delivery: 'steer', content: [{ type: 'text', text: 'And hurry.' }], source: { kind: 'person' } })
await agent.whenIdle()
console.log(`\nsession ${agent.session.id}: ${agent.session.log.events.length} events`)
await agent.close()
await host[Symbol.asyncDispose]()
