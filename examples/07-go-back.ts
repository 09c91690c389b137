// A session is a log: undo a turn, go another way in a fork, and drive today's code over what was recorded.
// Run it: node examples/07-go-back.ts
import { homedir } from 'node:os'
import {
  defaults,
  homePath,
  nodeHasher,
  openAgent,
  providerRow,
  replaySession,
  StorePort,
  scriptedProvider,
} from '@rein/harness'
import { readLog, rewind, surface, tree, turnsOf } from '@rein/session'
import { say, startAgent } from './server/agent.ts'

const look = { calls: [{ name: 'glob', arguments: { pattern: '*' } }] }
const script = [look, { text: 'Nothing here.' }, { text: 'I would not.' }, { text: 'Then let us begin.' }]
const rows = [{ id: 'provider:scripted', plugin: providerRow(scriptedProvider({ script })) }]
const { host, agent } = await startAgent({ preset: 'minimal', provider: 'scripted', rows })
const { id, log } = agent.session
await say(agent, 'What is here?')
await say(agent, 'Should we stop?')

// Undo the second turn: an event, so that nothing is lost, and rewinding to before it would bring the turn back.
const second = turnsOf(log.events)[1]
const undone = await agent.maintain(async () => rewind(log, { to: (second?.from ?? 0) - 1 }))
if (!undone.ok) throw new Error(undone.failure.message)
console.log(
  `${log.state(surface).messages.length} messages are seen, ${tree(log.events).length} places are in the tree`,
)
await agent.close()

// Another session from there on. The first stays as it is.
const limits = { steps: 10, maxWaitMs: 1000, rein: 'example' }
const start = { kind: 'fork', id, at: undone.value.data.to } as const
const fork = await openAgent(host, {
  start,
  model: { provider: 'scripted', model: 'local' },
  mode: undefined,
  ...limits,
})
if (!fork.ok) throw new Error(fork.failure.message)
await say(fork.value, 'Shall we begin?')
console.log(`${fork.value.session.id} came from ${id}`)
await fork.value.close()

// The recorded session through today's loop, offline; then as if a turn could take only one step.
const store = host.get(StorePort)
const bytes = await store?.read(id)
if (!store || !bytes?.ok) throw new Error('the session cannot be read')
const read = await readLog(bytes.value, { hasher: nodeHasher })
if (!read.ok) throw new Error(read.failure.message)
const world = { home: homePath(process.env, homedir()), userHome: homedir(), env: process.env }
for (const steps of [10, 1]) {
  const replayed = await replaySession({
    ...{ id, log: read.value, blob: () => undefined, store, preset: 'minimal', steps, maxWaitMs: 1000 },
    world: { ...world, settings: defaults().settings },
    tools: 'recorded',
  })
  if (!replayed.ok) throw new Error(replayed.failure.message)
  const { same, divergence } = replayed.value
  console.log(
    `${steps} steps: ${divergence ? `event ${divergence.seq}, ${divergence.cause}` : `${same} events the same`}`,
  )
}
await host[Symbol.asyncDispose]()
