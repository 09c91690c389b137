import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { SessionEvent } from '@rein/session'
import { type Loop, standardLoop } from '../../src/agent/loop.ts'
import { scriptedProvider } from '../../src/model/scripted.ts'
import type { Prompt } from '../../src/prompt/prompt.ts'
import { requestPlace } from '../../src/replay/request-place.ts'
import type { Tool } from '../../src/tools/definition.ts'
import type { Approval } from '../../src/tools/ports.ts'
import { calls, heldTool, memorySpill, type StageOptions, testTool } from '../agent/kit.ts'
import { lived, parted, same } from './kit.ts'

async function recorded(options: StageOptions, ...said: readonly string[]): Promise<readonly SessionEvent[]> {
  return (await lived(options, ...said)).events
}

const prompt = (...texts: readonly (readonly [name: string, text: string])[]): Prompt => ({
  system: () => ({
    text: texts.map(([, text]) => text).join('\n\n'),
    sections: texts.map(([name, text], order) => {
      const sha256 = createHash('sha256').update(text).digest('hex')
      return { name, order, owner: name, bytes: Buffer.byteLength(text), sha256 }
    }),
  }),
  context: () => undefined,
})

/** An event of the recording as it might have been. */
const changed = (events: readonly SessionEvent[], seq: number, data: object): readonly SessionEvent[] =>
  events.with(seq, { ...events[seq], data: { ...events[seq]?.data, ...data } } as SessionEvent)

test('a changed section is named with both texts, and the request it moves at its byte', async () => {
  const options = { script: [{ text: 'hi' }], prompt: prompt(['base', 'Be good.'], ['tone', 'Be brief, please.']) }
  const events = await recorded(options, 'go')
  const now = { ...options, prompt: prompt(['base', 'Be good.'], ['tone', 'Be long, please.']) }
  const { cause, place, type, parting } = await parted(events, now)
  assert.equal(type, 'system/message')
  assert.equal(cause, 'system text, section tone')
  assert.deepEqual([place.was, place.now], ['Be brief, please.', 'Be long, please.'])
  const request = requestPlace(events, parting, () => undefined)
  assert.equal(request?.path, 'messages[0].content')
  assert.ok(events[request.seq]?.type === 'request/sent' && request.byte > 0)
})

test('a section that is gone and one that is new are told', async () => {
  const options = { script: [{ text: 'hi' }], prompt: prompt(['base', 'a'], ['tone', 'b']) }
  const events = await recorded(options, 'go')
  assert.equal(
    (await parted(events, { ...options, prompt: prompt(['base', 'a']) })).cause,
    'system text, section tone is gone',
  )
  const more = { ...options, prompt: prompt(['base', 'a'], ['tone', 'b'], ['new', 'c']) }
  assert.equal((await parted(events, more)).cause, 'system text, section new is new')
})

test('changed words and a changed schema of a tool are each named', async () => {
  const look = testTool('look')
  const options: StageOptions = { script: [{ text: 'hi' }], tools: [look, testTool('other')] }
  const events = await recorded(options, 'go')
  const words: Tool = { ...look, description: 'Another tool.' }
  const worded = await parted(events, { ...options, tools: [words, testTool('other')] })
  assert.equal(worded.cause, 'tool look: description')
  assert.deepEqual([worded.place.was, worded.place.now], ['The look tool.', 'Another tool.'])
  const schema = { type: 'object', properties: { deep: { type: 'boolean' } } }
  const shaped: Tool = { ...look, parameters: { ...look.parameters, schema } }
  const { cause, parting } = await parted(events, { ...options, tools: [shaped, testTool('other')] })
  assert.equal(cause, 'tool look: parameters.properties.deep')
  assert.match(requestPlace(events, parting, () => undefined)?.path ?? '', /^tools\[0\]\.function\.parameters/)
  assert.equal((await parted(events, { ...options, tools: [look] })).cause, 'tool other is gone')
  assert.equal((await parted(events, { ...options, tools: [testTool('other'), look] })).cause, 'order of the tools')
})

test('a changed parameter of the model is named', async () => {
  const script = [{ text: 'hi' }]
  const facts = (temperature: number) => ({ parameters: { temperature } })
  const events = await recorded({ provider: scriptedProvider({ script, facts: facts(1) }) }, 'go')
  const found = await parted(events, { provider: scriptedProvider({ script, facts: facts(0.5) }) })
  assert.equal(found.cause, 'parameter temperature')
  assert.deepEqual([found.place.was, found.place.now], [1, 0.5])
})

test('a wait that today’s policy would not make is named with both lengths', async () => {
  const failure = { code: 'OVERLOADED', message: 'full' } as const
  const options: StageOptions = { script: [{ failure }, { text: 'better' }] }
  const events = await recorded(options, 'go')
  const seq = events.findIndex(({ type }) => type === 'retry/scheduled')
  // What a policy of longer waits would have left.
  const longer = await parted(changed(events, seq, { waitMs: 5000 }), options)
  assert.deepEqual([longer.seq, longer.cause, longer.place.was, longer.place.now], [seq, 'retry: waited', 5000, 500])
  const asked: StageOptions = { script: [{ failure: { ...failure, retryAfterMs: 20 } }, { text: 'better' }] }
  const waited = await recorded(asked, 'go')
  const givesUp = await parted(waited, { ...asked, maxWaitMs: 10 })
  assert.equal(givesUp.cause, 'retry: whether there is one')
})

test('a smaller budget of steps ends the turn where it is spent', async () => {
  const options: StageOptions = { script: [calls('look'), calls('look'), { text: 'done' }], tools: [testTool('look')] }
  const events = await recorded(options, 'go')
  const { cause, parting } = await parted(events, { ...options, steps: 2 })
  assert.equal(cause, 'how far the turn goes')
  assert.equal(parting.now.type, 'turn/end')
})

test('a result longer than today’s limit is cut today', async () => {
  const files = new Map<string, string>()
  const long = testTool('long', { run: async () => ({ kind: 'done', content: 'x'.repeat(70_000) }) })
  const options: StageOptions = { script: [calls('long'), { text: 'done' }], tools: [long], spill: memorySpill(files) }
  const events = await recorded(options, 'go')
  const at = events.findIndex(({ type }) => type === 'tool/result')
  // What a larger limit would have left.
  const whole = changed(events, at, { content: [{ type: 'text', text: 'x'.repeat(70_000) }], spill: undefined })
  const { seq, cause, place } = await parted(whole, options)
  assert.deepEqual([seq, cause, place.path], [at, 'result of long', 'content[0].text'])
})

test('calls that run in another order part where the first of them begins or ends', async () => {
  const slow = heldTool('slow', { parallel: true })
  const quick = testTool('quick', {
    parallel: true,
    run: async () => {
      slow.release()
      return { kind: 'done', content: 'q' }
    },
  })
  const options: StageOptions = { script: [calls('slow', 'quick'), { text: 'done' }], tools: [slow.tool, quick] }
  const events = await recorded(options, 'go')
  await same(events, options)
  const reversed: Loop = {
    turn: (context) => standardLoop.turn({ ...context, call: (calls, step) => context.call(calls.toReversed(), step) }),
  }
  const other = await parted(events, { ...options, loop: reversed })
  assert.deepEqual([other.type, other.cause, other.place.path], ['tool/result', 'order of calls', 'call'])
  const alone = [testTool('slow', { parallel: false }), testTool('quick', { parallel: false })]
  const found = await parted(events, { ...options, tools: alone })
  assert.deepEqual([found.type, found.place.path], ['tool/call', 'parallel'])
})

test('another loop is told by the first event it makes or leaves out', async () => {
  const options: StageOptions = { script: [{ text: 'hi' }] }
  const events = await recorded(options, 'go')
  const lazy: Loop = { turn: async () => ({ outcome: 'completed' }) }
  const found = await parted(events, { ...options, loop: lazy })
  assert.equal(found.cause, 'how far the turn goes')
  const hanging: Loop = { turn: () => new Promise(() => undefined) }
  const stuck = await parted(events, { ...options, loop: hanging })
  assert.deepEqual([stuck.cause, stuck.place.now], ['today nothing follows', 'nothing'])
})

test('nobody is asked for what the log does not answer', async () => {
  const options: StageOptions = { script: [calls('look'), { text: 'done' }], tools: [testTool('look')] }
  const events = await recorded(options, 'go')
  let asked = 0
  const approval: Approval = {
    needed: async () => ({ what: 'May it?' }),
    ask: async () => {
      asked++
      return { decision: 'allowed-once', by: 'somebody' }
    },
  }
  const { cause } = await parted(events, { ...options, approval })
  assert.equal(cause, 'permission: whether a person is asked')
  assert.equal(asked, 0)
})
