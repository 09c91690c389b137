import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plugin } from '@rein/kernel'
import type { EventNamed } from '@rein/session'
import type { Agent } from '../../src/agent/agent.ts'
import { LoopPort, standardLoop } from '../../src/agent/loop.ts'
import { providerRow } from '../../src/config/rows/provider.ts'
import type { Provider } from '../../src/model/provider.ts'
import { type ScriptEntry, scriptedProvider } from '../../src/model/scripted.ts'
import { Tools } from '../../src/tools/ports.ts'
import { testTool, textOf } from '../agent/kit.ts'
import { product, say } from './kit.ts'

const provider = (...script: readonly ScriptEntry[]): Provider => scriptedProvider({ name: 'demo', script })
const bash = (command: string): ScriptEntry => ({ calls: [{ name: 'bash', arguments: { command } }] })

/** A bash row that only says which one it is. */
const newBash = plugin({
  name: 'new bash',
  needs: { tools: Tools },
  setup({ needs, scope }) {
    const run = () => ({ kind: 'done', content: 'the new bash' }) as const
    needs.tools.tools.add(scope, 'bash', testTool('bash', { run }))
  },
})

const failing = plugin({
  name: 'failing',
  needs: { tools: Tools },
  setup() {
    throw new Error('this one does not start')
  },
})

const loopNamed = (name: string, turns: string[]) =>
  plugin({
    name,
    needs: {},
    setup: ({ provide }) =>
      provide(LoopPort, {
        turn(context) {
          turns.push(name)
          return standardLoop.turn(context)
        },
      }),
  })

const results = ({ session: { log } }: Agent): readonly string[] =>
  log.events
    .filter((event): event is EventNamed<'tool/result'> => event.type === 'tool/result')
    .map(({ data }) => textOf(data.content))

const answers = ({ session: { log } }: Agent): readonly string[] =>
  log.events
    .filter((event): event is EventNamed<'assistant/message'> => event.type === 'assistant/message')
    .flatMap(({ data }) => data.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])))

const callStarted = (agent: Agent): Promise<void> =>
  new Promise((resolve) => {
    const heard = agent.session.log.onLine((_, { type }) => {
      if (type !== 'tool/call') return
      heard[Symbol.dispose]()
      resolve()
    })
  })

test('while a call runs, provider, bash and loop are replaced: it ends on the old ones, what follows uses the new', async () => {
  const turns: string[] = []
  const old = provider(bash('sleep 2; echo the old bash'), { text: 'old provider' })
  const rows = [{ id: 'loop', plugin: loopNamed('old', turns) }]
  const on = await product(old, { rows })
  const agent = await on.open()
  const started = callStarted(agent)
  const first = say(agent, 'go')
  await started
  const replaced = Promise.all([
    on.host.replace('bash', newBash),
    on.host.replace(
      'provider:demo',
      providerRow(provider(bash('echo no'), { text: 'new provider' }, { text: 'turn two' })),
    ),
    on.host.replace('loop', loopNamed('new', turns)),
  ])
  await first
  await replaced
  assert.deepEqual(results(agent), ['the old bash', 'the new bash'])
  assert.deepEqual(answers(agent), ['new provider'])
  await say(agent, 'again')
  assert.deepEqual(turns, ['old', 'new'])
  assert.deepEqual(answers(agent), ['new provider', 'turn two'])
  assert.equal(agent.session.log.events.filter(({ type }) => type === 'session/start').length, 1)
  assert.equal(agent.session.log.events.filter(({ type }) => type === 'session/resume').length, 0)
  const { id } = agent.session
  await agent.close()
  const { answer, problems } = await on.verify(id)
  assert.deepEqual([answer, problems], ['clean', []])
  await on.close()
})

test('a replacement that throws leaves the old one serving', async () => {
  const on = await product(provider(bash('echo one'), { text: '1' }, bash('echo two'), { text: '2' }))
  const agent = await on.open()
  await say(agent, 'go')
  for (const id of ['bash', 'provider:demo', 'loop'])
    await assert.rejects(on.host.replace(id, failing), /does not start/)
  await say(agent, 'again')
  assert.deepEqual(results(agent), ['one', 'two'])
  assert.deepEqual(answers(agent), ['1', '2'])
  await agent.close()
  await on.close()
})
