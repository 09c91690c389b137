import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forkSession, type SessionEvent } from '@rein/session'
import type { Agent } from '../../src/agent/agent.ts'
import { SecretsPort, StorePort } from '../../src/config/rows/core.ts'
import { type ScriptEntry, scriptedProvider } from '../../src/model/scripted.ts'
import { replySoFar, streamed } from '../../src/model/streamed.ts'
import { countingPorts, value } from '../agent/kit.ts'
import { type Product, product } from './kit.ts'

const secret = 'hunter2-hunter2'

async function stageOf(script: readonly ScriptEntry[], plugins: Parameters<typeof product>[1] = {}): Promise<Product> {
  const on = await product(scriptedProvider({ name: 'demo', script, chunkSize: 3, chunkDelayMs: 2 }), plugins)
  on.host.get(SecretsPort)?.registered.add(secret)
  return on
}

async function say(agent: Agent, text: string): Promise<void> {
  await agent.post({ delivery: 'followup', content: [{ type: 'text', text }], source: { kind: 'person' } })
  await agent.whenIdle()
}

const typesOf = (events: readonly SessionEvent[]): readonly string[] => events.map(({ type }) => type)

test('replies are in the log before their settlements, whole, cut by the token limit and cancelled; no secret is', async () => {
  const on = await stageOf([
    { reasoning: 'I think', text: `it is ${secret}.`, calls: [{ name: 'read', arguments: { path: 'x' } }] },
    { text: 'cut', calls: [{ name: 'read', arguments: '{"pa' }], finish: 'length' },
    { text: 'so be it' },
    { text: 'this one is long, and is stopped in the middle of what it says' },
  ])
  const agent = await on.open()
  await say(agent, 'go')
  let said = ''
  const heard = agent.listen({
    delta: (delta) => {
      if (delta.kind === 'text') said += delta.text
      if (said.length > 20) void agent.cancel()
    },
  })
  await say(agent, 'stop')
  heard[Symbol.dispose]()
  const { events, id } = { events: agent.session.log.events, id: agent.session.id }
  const settled = events.filter((event) => event.type === 'request/settled')
  assert.deepEqual(
    settled.map(({ data }) => data.outcome),
    ['completed', 'completed', 'completed', 'cancelled'],
  )
  for (const { seq, data } of settled) {
    assert.equal(events[seq - 1]?.type, 'assistant/chunks')
    const message = events.find((event) => event.type === 'assistant/message' && event.data.request === data.id)
    assert.ok(message?.type === 'assistant/message')
    const { content } = replySoFar(events, data.id)
    const plain = message.data.content.filter(({ type }) => type !== 'call')
    assert.deepEqual(content, plain)
    assert.ok(streamed(events, data.id).length > 0)
  }
  const log = JSON.stringify(events)
  assert.ok(!log.includes(secret) && log.includes('it is ⟦secret:registered:'))
  await agent.close()
  assert.equal((await on.verify(id)).answer, 'clean')
  await on.close()
})

test('without the row nothing of a reply is written while it streams, and the rest is as before', async () => {
  const script = [{ text: 'well', calls: [{ name: 'read', arguments: { path: 'x' } }] }, { text: 'done' }]
  const logs = await Promise.all(
    [{}, { plugins: { chunks: { enabled: false } } }].map(async (plugins) => {
      const on = await stageOf(script, plugins)
      const agent = await on.open()
      await say(agent, 'go')
      const types = typesOf(agent.session.log.events)
      await agent.close()
      await on.close()
      return types
    }),
  )
  const [with_ = [], without = []] = logs
  assert.ok(with_.includes('assistant/chunks') && !without.includes('assistant/chunks'))
  assert.deepEqual(
    with_.filter((type) => type !== 'assistant/chunks'),
    without,
  )
})

test('a fork from the middle of a reply keeps what had come of it, and the reply itself is closed as interrupted', async () => {
  const on = await stageOf([{ text: 'a reply that takes its time' }])
  const agent = await on.open()
  await say(agent, 'go')
  const at = agent.session.log.events.find(({ type }) => type === 'assistant/chunks')?.seq ?? -1
  const store = on.host.get(StorePort)
  assert.ok(store)
  const options = { store, ports: countingPorts(9000), holder: { host: 'h', pid: 1, started: '1' }, rein: '0' }
  const fork = value(await forkSession(options, { id: agent.session.id, at }))
  const last = fork.log.events.find((event) => event.type === 'request/settled')
  assert.ok(last?.type === 'request/settled')
  assert.equal(last.data.outcome, 'interrupted')
  const [block] = replySoFar(fork.log.events, last.data.id).content
  assert.ok(block?.type === 'text' && 'a reply that takes its time'.startsWith(block.text))
  await fork.close()
  await agent.close()
  assert.equal((await on.verify(fork.id)).answer, 'clean')
  await on.close()
})
