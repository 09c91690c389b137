import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryStore, type ResultOutcome, unknownText } from '@rein/session'
import { scriptedProvider } from '../../src/model/scripted.ts'
import type { ScriptedReply } from '../../src/model/scripted-reply.ts'
import { nodeHasher } from '../../src/store/hasher.ts'
import { calls, countingPorts, logBytes, type Stage, stage, testTool } from './kit.ts'

const tools = [testTool('look', { parallel: true }), testTool('act', { effects: 'some' })]

/** One of everything: calls beside and after each other, a retry, a cut reply, a second turn. */
const script: readonly ScriptedReply[] = [
  { text: 'first', ...calls('look', 'look', 'act') },
  { text: 'half', finish: null },
  { ...calls('act'), finish: 'length' },
  calls('act'),
  { text: 'done' },
  { text: 'and again' },
]

const runAll = async (on: Stage): Promise<void> => {
  await on.post('go')
  await on.post('more')
  await on.agent.whenIdle()
}

/** The same run, its store stopped after so many bytes; what went wrong on the way is what a crash is. */
async function crashed(bytes: number): Promise<{ store: MemoryStore; id: string } | undefined> {
  const ports = countingPorts()
  const store = new MemoryStore({ hasher: nodeHasher, now: ports.now, failAfterBytes: bytes })
  const on = await stage({ store, ports, tools, script })
  const ran = await runAll(on).then(
    () => true,
    () => false,
  )
  await on.agent.whenIdle()
  if (ran) assert.ok(on.agent.failure)
  return { store: store.survivor(), id: on.session.id }
}

async function wholeLog(): Promise<Buffer> {
  const on = await stage({ tools, script })
  await runAll(on)
  assert.equal((await on.verify()).answer, 'clean')
  return logBytes(on.store, on.session.id)
}

/** Every event boundary, and for every third line a byte in the middle of it. */
function cuts(log: Buffer): readonly number[] {
  const ends = [...log.entries()].flatMap(([at, byte]) => (byte === 10 ? [at + 1] : []))
  const middles = ends.flatMap((end, n) => (n % 3 === 1 ? [Math.floor((end + (ends[n - 1] ?? 0)) / 2)] : []))
  return [...ends.slice(0, -1), ...middles]
}

test('a run that crashed at any event, or inside a line, is resumed, repaired and goes on; its log proves every request', async () => {
  for (const bytes of cuts(await wholeLog())) {
    const left = await crashed(bytes)
    if (!left) continue
    const on = await stage({
      store: left.store,
      resume: left.id,
      ports: countingPorts(1000),
      tools,
      script: [{ text: 'a' }, { text: 'b' }, { text: 'c' }],
    })
    on.agent.wake()
    await on.agent.whenIdle()
    await on.say('where were we?')
    assert.equal(on.outcomes().at(-1), 'completed', `cut at byte ${bytes}`)
    const { answer, problems } = await on.verify()
    assert.ok(
      answer === 'clean' || answer === 'declared damage',
      `cut at byte ${bytes}: ${answer} ${problems.join('; ')}`,
    )
    await on.close()
  }
})

test('a call that began before the crash has an unknown outcome, and the model is told so; one that did not begin was not started', async () => {
  const kinds = new Map<string, ResultOutcome['kind']>()
  for (const type of ['assistant/message', 'tool/call'] as const) {
    const bytes = endOfFirst(await wholeLog(), `"type":"${type}"`)
    const left = await crashed(bytes)
    assert.ok(left)
    let asked = ''
    const answer = scriptedProvider({
      script: [
        (request) => {
          asked = JSON.stringify(request.messages)
          return { text: 'I see' }
        },
      ],
    })
    const on = await stage({ store: left.store, resume: left.id, ports: countingPorts(1000), tools, provider: answer })
    await on.say('well?')
    const [first] = on.all('tool/result')
    if (first) kinds.set(type, first.data.outcome.kind)
    if (type === 'tool/call') assert.ok(asked.includes(unknownText))
  }
  assert.deepEqual([...kinds.values()], ['not-started', 'unknown'])
})

test('what waited behind an interrupted turn is parked, and the next post releases it', async () => {
  const left = await crashed(endOfFirst(await wholeLog(), '"type":"tool/call"'))
  assert.ok(left)
  const on = await stage({
    store: left.store,
    resume: left.id,
    ports: countingPorts(1000),
    tools,
    script: [{ text: 'a' }, { text: 'b' }],
  })
  assert.deepEqual(on.outcomes(), ['interrupted'])
  assert.deepEqual(
    on.all('inbox/parked').map(({ data }) => data.reason),
    ['interrupted'],
  )
  on.agent.wake()
  assert.equal(on.agent.phase, 'idle')
  await on.say('go on')
  assert.deepEqual(on.said(), ['go', 'more', 'go on'])
})

function endOfFirst(log: Buffer, mark: string): number {
  return log.indexOf('\n', log.indexOf(mark)) + 1
}
