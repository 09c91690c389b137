import assert from 'node:assert/strict'
import { test } from 'node:test'
import { surface } from '@rein/session'
import { scriptedProvider } from '../../src/model/scripted.ts'
import type { Approval } from '../../src/tools/ports.ts'
import { calls, type StageOptions, stage, testTool } from '../agent/kit.ts'
import { lived, same } from './kit.ts'

test('two answers that came at once are given before either call begins', async () => {
  const both = Promise.withResolvers<void>()
  let asked = 0
  const approval: Approval = {
    needed: async () => ({ what: 'May it?' }),
    async ask() {
      asked++
      if (asked === 2) both.resolve()
      await both.promise
      return { decision: 'allowed-once', by: 'tester' }
    },
  }
  const options: StageOptions = {
    script: [calls('look', 'look'), { text: 'done' }],
    tools: [testTool('look', { parallel: true })],
    approval,
  }
  const live = await lived(options, 'go')
  assert.deepEqual(live.types('approval/decided', 'tool/call').slice(0, 2), ['approval/decided', 'approval/decided'])
  await same(live.events, options)
})

test('calls whose ids a provider gives twice get the ids they got', async () => {
  const twice = { calls: [1, 2].map(() => ({ name: 'look', arguments: {}, id: 'same' })) }
  const options: StageOptions = { script: [twice, twice, { text: 'done' }], tools: [testTool('look')] }
  const live = await lived(options, 'go')
  assert.equal(new Set(live.all('tool/call').map(({ data }) => data.call)).size, 4)
  await same(live.events, options)
})

test('input that came while a reply came in stands before its end', async () => {
  const script = [{ text: 'one two three four five six seven eight' }, { text: 'on' }]
  const options: StageOptions = { provider: scriptedProvider({ script, chunkSize: 4, chunkDelayMs: 2 }) }
  const live = await stage(options)
  await live.post('go')
  await new Promise<void>((resolve) => live.agent.listen({ delta: () => resolve() }))
  await live.post('and', 'steer')
  await live.post('later')
  await live.agent.whenIdle()
  await live.close()
  await same(live.events, options)
})

test('a wait of minutes takes no time', async () => {
  const failure = { code: 'OVERLOADED', message: 'full', retryAfterMs: 20 } as const
  const options: StageOptions = { script: [{ failure }, { text: 'better' }], maxWaitMs: 600_000 }
  const live = await lived(options, 'go')
  // The same session under a provider that asked for more.
  const longer = JSON.parse(JSON.stringify(live.events).replaceAll(/"(retryAfterMs|waitMs)":\d+/g, '"$1":300000'))
  await same(longer, options)
})

test('a compaction is replayed as it was, before a request and after one that was too long', async () => {
  const failure = { code: 'CONTEXT_WINDOW_EXCEEDED', message: 'too long' } as const
  const options: StageOptions = { script: [{ text: 'a' }, { text: 'b' }, { failure }, { text: 'c' }] }
  const live = await stage(options)
  const { log } = live.session
  const compact = (reason: 'threshold' | 'overflow') => {
    const [, first] = log.state(surface).messages
    if (!first) return
    log.append('compaction/start', { id: `c-${reason}`, reason, range: [first.seq, first.seq] })
    const content = [{ type: 'text', text: `short, by ${reason}` }] as const
    const place = { surface: { replace: [first.seq, first.seq] }, sources: [first.seq] } as const
    log.append('user/message', { content, source: { kind: 'plugin', name: 'compact' } }, place)
    log.append('compaction/end', { id: `c-${reason}`, outcome: 'accepted' })
  }
  live.hooks.aroundRequest.wrap(live.scope, 'compact', async (run, next) => {
    if (run.turn === 2) compact('threshold')
    const outcome = await next(run)
    if (outcome.kind !== 'failed') return outcome
    compact('overflow')
    return { kind: 'retry', failure: outcome.failure }
  })
  await live.say('one')
  await live.say('two')
  await live.say('three')
  await live.close()
  assert.deepEqual(live.outcomes(), ['completed', 'completed', 'completed'])
  assert.equal(live.all('compaction/end').length, 2)
  await same(live.events, options)
})
