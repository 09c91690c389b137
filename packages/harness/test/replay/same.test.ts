import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryStore } from '@rein/session'
import { scriptedProvider } from '../../src/model/scripted.ts'
import { nodeHasher } from '../../src/store/hasher.ts'
import type { Approval } from '../../src/tools/ports.ts'
import { calls, countingPorts, heldTool, type StageOptions, stage, testTool } from '../agent/kit.ts'
import { lived, same } from './kit.ts'

test('a session of steps and calls replays as it was', async () => {
  const options: StageOptions = {
    script: [calls('look'), { text: 'half', ...calls('change') }, { text: 'done' }, { text: 'again' }],
    tools: [testTool('look'), testTool('change', { effects: 'some' })],
  }
  const live = await lived(options, 'go', 'once more')
  const played = await same(live.events, options)
  assert.equal(played.requests, 4)
})

test('parallel calls end in the order in which they ended', async () => {
  const slow = heldTool('slow', { parallel: true })
  const releasing = async () => {
    slow.release()
    return { kind: 'done', content: 'q' } as const
  }
  const options: StageOptions = {
    script: [calls('slow', 'quick', 'quick'), { text: 'done' }],
    tools: [slow.tool, testTool('quick', { parallel: true, run: releasing })],
  }
  const live = await lived(options, 'go')
  assert.equal((await same(live.events, options)).requests, 2)
})

test('more parallel calls than run at once replay as they were', async () => {
  const many = Array.from({ length: 25 }, (_, at) => `t${at}`)
  const tools = many.map((name, at) =>
    testTool(name, {
      parallel: true,
      run: async () => {
        await new Promise((resolve) => setTimeout(resolve, (at * 7) % 10))
        return { kind: 'done', content: name }
      },
    }),
  )
  const options: StageOptions = { script: [calls(...many), { text: 'done' }], tools }
  const live = await lived(options, 'go')
  await same(live.events, options)
})

test('answers of a person are given where they were given', async () => {
  const approval: Approval = {
    needed: async ({ call }) => ({ what: `Run ${call.name}?` }),
    ask: async ({ call }) => ({ decision: call.call.name === 'no' ? 'denied' : 'allowed-once', by: 'tester' }),
  }
  const options: StageOptions = {
    script: [calls('yes', 'no', 'yes'), { text: 'done' }],
    tools: [testTool('yes', { parallel: true }), testTool('no', { parallel: true })],
    approval,
  }
  const live = await lived(options, 'go')
  await same(live.events, options)
})

test('failed attempts, waits and a turn that gives up replay without waiting', async () => {
  const failure = { code: 'OVERLOADED', message: 'full' } as const
  const options: StageOptions = {
    script: [
      { text: 'ha', failure },
      { failure: { ...failure, retryAfterMs: 30 } },
      { text: 'better' },
      { text: 'partly', failure: { code: 'AUTH', message: 'no' } },
    ],
  }
  const live = await lived(options, 'go', 'again')
  assert.deepEqual(live.outcomes(), ['completed', 'error'])
  await same(live.events, options)
})

test('replies cut by the token limit replay as they were', async () => {
  const cut = { text: 'so', ...calls('look'), finish: 'length' } as const
  const options: StageOptions = { script: [cut, cut, cut], tools: [testTool('look')] }
  const live = await lived(options, 'go')
  await same(live.events, options)
})

test('a turn cancelled while a call ran replays as it was, and so does what was parked', async () => {
  const held = heldTool('held')
  const options: StageOptions = {
    script: [{ text: 'x', ...calls('held', 'held') }, { text: 'after' }, { text: 'b' }],
    tools: [held.tool],
  }
  const live = await stage(options)
  await live.post('go')
  await held.begun
  await live.post('later')
  await live.agent.cancel()
  await live.say('on')
  await live.close()
  assert.deepEqual(live.outcomes(), ['cancelled', 'completed', 'completed'])
  await same(live.events, options)
})

test('a turn cancelled in the middle of a reply keeps what was said', async () => {
  const script = [{ text: 'one two three four five six seven eight' }, { text: 'on' }, { text: 'later' }]
  const options: StageOptions = { provider: scriptedProvider({ script, chunkSize: 4, chunkDelayMs: 2 }) }
  const live = await stage(options)
  await live.post('go')
  await new Promise<void>((resolve) => live.agent.listen({ delta: () => resolve() }))
  await live.post('later')
  await live.agent.cancel()
  await live.say('on')
  await live.close()
  await same(live.events, options)
})

test('input of both lanes enters where it entered', async () => {
  const held = heldTool('held')
  const options: StageOptions = {
    script: [calls('held'), { text: 'a' }, { text: 'b' }, { text: 'c' }],
    tools: [held.tool],
  }
  const live = await stage(options)
  await live.post('go')
  await held.begun
  await live.post('next turn')
  await live.post('now', 'steer')
  await live.post('quietly', 'inject')
  held.release()
  await live.agent.whenIdle()
  await live.close()
  await same(live.events, options)
})

test('a killed session and its repair replay, and what went on after it', async () => {
  const held = heldTool('held', { effects: 'some' })
  const ports = countingPorts()
  const store = new MemoryStore({ hasher: nodeHasher, now: ports.now })
  const options: StageOptions = { script: [calls('held')], tools: [held.tool], store, ports }
  const first = await stage(options)
  await first.post('go')
  await held.begun
  await first.post('later')
  const survivor = store.survivor()
  const second = await stage({
    ...options,
    store: survivor,
    resume: first.session.id,
    script: [{ text: 'on' }, { text: 'more' }],
  })
  await second.say('on')
  await second.close()
  await first.agent.cancel()
  await first.close()
  const played = await same(second.events, options)
  assert.ok(second.types().includes('session/resume'))
  assert.equal(played.requests, 3)
})

test('a log that ends in the middle of a turn is replayed up to its end', async () => {
  const held = heldTool('held')
  const options: StageOptions = { script: [calls('held'), { text: 'a' }], tools: [held.tool] }
  const live = await stage(options)
  await live.post('go')
  await held.begun
  const open = [...live.events]
  held.release()
  await live.agent.whenIdle()
  await live.close()
  for (let length = 1; length <= live.events.length; length++) await same(live.events.slice(0, length), options)
  assert.ok(open.length < live.events.length)
})
