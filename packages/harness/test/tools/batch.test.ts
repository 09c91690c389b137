import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FailureError, type Json } from '@rein/session'
import fc from 'fast-check'
import { poolSize } from '../../src/tools/batch.ts'
import type { ToolOutput } from '../../src/tools/definition.ts'
import { calls, heldTool, type Stage, stage, testTool } from '../agent/kit.ts'

/** What one call of a random batch does. `turns`: how often it lets others run first. */
interface Plan {
  readonly parallel: boolean
  readonly turns: number
  readonly end: 'done' | 'failed' | 'throws' | 'denied' | 'unknown' | 'bad'
}

const plan: fc.Arbitrary<Plan> = fc.record({
  parallel: fc.boolean(),
  turns: fc.nat(6),
  end: fc.constantFrom('done', 'done', 'done', 'failed', 'throws', 'denied', 'unknown', 'bad'),
})

const breath = () => new Promise<void>((resolve) => setImmediate(resolve))

async function runPlans(plans: readonly Plan[], cancelAfter: number | undefined): Promise<[Stage, number]> {
  let running = 0
  let most = 0
  const body = async (args: Json): Promise<ToolOutput> => {
    most = Math.max(most, ++running)
    const { turns, end } = args as unknown as Plan
    for (let turn = 0; turn < turns; turn++) await breath()
    running--
    if (end === 'throws') throw new Error('thrown')
    if (end === 'failed') return { kind: 'failed', failure: { code: 'FILE_ERROR', message: 'no' } }
    return { kind: 'done', content: 'ok' }
  }
  const tools = [testTool('alone', { effects: 'some', run: body }), testTool('beside', { parallel: true, run: body })]
  const asked = plans.map((one) => {
    const name = one.end === 'unknown' ? 'nope' : one.parallel ? 'beside' : 'alone'
    return { name, arguments: one.end === 'bad' ? '{' : (one as unknown as Json) }
  })
  const on = await stage({ tools, script: [{ calls: asked }, { text: 'ok' }] })
  on.set.guardCall.guard(on.scope, 'some', (call) =>
    (call.args as unknown as Plan).end === 'denied' ? 'no' : undefined,
  )
  await on.post('go')
  await on.next('assistant/message')
  if (cancelAfter !== undefined) {
    for (let turn = 0; turn < cancelAfter; turn++) await breath()
    await on.agent.cancel()
  }
  await on.agent.whenIdle()
  assert.equal(running, 0, 'a call went on behind the turn')
  return [on, most]
}

test('random batches: one result each, in the model’s order, exclusive calls alone, ten at once at most', async () => {
  const cancel = fc.option(fc.nat(8), { nil: undefined, freq: 2 })
  await fc.assert(
    fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: 24 }), cancel, async (plans, cancelAfter) => {
      const [on, most] = await runPlans(plans, cancelAfter)
      assert.deepEqual(on.violations(), [])
      assert.ok(most <= poolSize)
      const kinds = on.results()
      assert.equal(kinds.length, plans.length)
      for (const [index, { end }] of plans.entries()) {
        const kind = kinds[index] ?? ''
        const whole = {
          done: 'done',
          failed: 'failed',
          throws: 'failed',
          denied: 'denied',
          unknown: 'failed',
          bad: 'failed',
        }
        const allowed = cancelAfter === undefined ? [whole[end]] : [whole[end], 'not-started', 'cancelled']
        assert.ok(allowed.includes(kind), `${end} is ${kind}`)
      }
      // Once one was not started, nothing after it started either.
      const first = kinds.indexOf('not-started')
      if (first >= 0) assert.ok(kinds.slice(first).every((kind) => kind === 'not-started'))
    }),
    { numRuns: 60 },
  )
})

test('ten parallel calls run at once, and the next begins as soon as one ends', async () => {
  const held = Array.from({ length: 12 }, (_, n) => heldTool(`t${n}`, { parallel: true }))
  const names = held.map(({ tool }) => tool.name)
  const on = await stage({ tools: held.map(({ tool }) => tool), script: [calls(...names), { text: 'ok' }] })
  await on.post('go')
  await Promise.all(held.slice(0, 10).map(({ begun }) => begun))
  await breath()
  assert.equal(on.all('tool/call').length, 10)
  held[7]?.release()
  await held[10]?.begun
  assert.equal(on.all('tool/call').length, 11)
  for (const { release } of held) release()
  await on.agent.whenIdle()
  assert.deepEqual(
    on.all('tool/result').map(({ data }) => data.name),
    names,
  )
})

test('an exclusive call waits for all before it, and keeps all after it waiting', async () => {
  const [a, b, c] = [heldTool('a', { parallel: true }), heldTool('b'), heldTool('c', { parallel: true })]
  const on = await stage({ tools: [a.tool, b.tool, c.tool], script: [calls('a', 'b', 'c'), { text: 'ok' }] })
  await on.post('go')
  await a.begun
  await breath()
  assert.equal(on.all('tool/call').length, 1)
  a.release()
  await b.begun
  await breath()
  assert.equal(on.all('tool/call').length, 2)
  b.release()
  await c.begun
  c.release()
  await on.agent.whenIdle()
  assert.deepEqual(on.results(), ['done', 'done', 'done'])
})

test('a result is in the log as soon as it and all before it are there', async () => {
  const [a, b] = [heldTool('a', { parallel: true }), heldTool('b', { parallel: true })]
  const on = await stage({ tools: [a.tool, b.tool], script: [calls('a', 'b'), { text: 'ok' }] })
  await on.post('go')
  await Promise.all([a.begun, b.begun])
  b.release()
  await breath()
  assert.equal(on.results().length, 0)
  a.release()
  await on.next('tool/result')
  await on.agent.whenIdle()
  assert.deepEqual(
    on.all('tool/result').map(({ data }) => data.name),
    ['a', 'b'],
  )
})

test('what a call may do is checked right before it starts, not when it was asked for', async () => {
  let allowed = true
  const first = testTool('first', {
    run: () => {
      allowed = false
      return { kind: 'done', content: 'ok' }
    },
  })
  const on = await stage({ tools: [first, testTool('second')], script: [calls('first', 'second'), { text: 'ok' }] })
  on.set.guardCall.guard(on.scope, 'now', () => (allowed ? undefined : 'not any more'))
  await on.say('go')
  assert.deepEqual(on.results(), ['done', 'denied'])
})

test('when another writer took the session, the rest of the batch does not start', async () => {
  const ran: string[] = []
  const second = testTool('second', { run: () => ({ kind: 'done', content: `${ran.push('second')}` }) })
  const on = await stage({ tools: [testTool('first'), second], script: [calls('first', 'second'), { text: 'ok' }] })
  const failure = { code: 'SESSION_TAKEN', message: 'another writer holds it' } as const
  on.session.lease.check = () => Promise.reject(new FailureError(failure))
  await on.say('go')
  assert.deepEqual(ran, [])
  assert.deepEqual(on.results(), [])
  assert.equal(on.agent.failure?.code, 'SESSION_TAKEN')
})
