import assert from 'node:assert/strict'
import { test } from 'node:test'
import { due, fold, type Hasher, inbox, type NewHasher, type SessionEvent } from '@rein/session'
import fc from 'fast-check'
import type { EncodedRequest, Provider } from '../../src/model/provider.ts'
import { type ScriptEntry, scriptedProvider } from '../../src/model/scripted.ts'
import { nodeHasher } from '../../src/store/hasher.ts'
import { calls, countingPorts, stage, testTool } from './kit.ts'

const reply: fc.Arbitrary<ScriptEntry> = fc.oneof(
  fc.record({ text: fc.string({ minLength: 1, unit: 'grapheme' }), reasoning: fc.string() }),
  fc.constantFrom<ScriptEntry>(calls('look'), calls('look', 'act', 'look'), calls('nope'), {
    calls: [{ name: 'act', arguments: '{' }],
  }),
  fc.constantFrom<ScriptEntry>(
    { text: 'cut', finish: 'length' },
    { ...calls('act'), finish: 'length' },
    { text: 'broken off', finish: null },
    { text: '' },
    { text: 'so far', failure: { code: 'AUTH', message: 'no' } },
    { failure: { code: 'SERVER_ERROR', message: 'no' } },
    { text: 'no', finish: 'content_filter' },
  ),
)

test('every request of a random run is rebuilt from its log, the log breaks no rule, and no input is stranded', async () => {
  const posts = fc.array(fc.constantFrom('followup', 'steer', 'inject', 'cancel', 'wait'), {
    minLength: 1,
    maxLength: 8,
  })
  await fc.assert(
    fc.asyncProperty(fc.array(reply, { maxLength: 14 }), posts, async (script, actions) => {
      const tools = [testTool('look', { parallel: true }), testTool('act', { effects: 'some' })]
      const on = await stage({ script, tools, steps: 6 })
      for (const action of ['followup', ...actions] as const) {
        if (action === 'wait') await on.agent.whenIdle()
        else if (action === 'cancel') await on.agent.cancel()
        else await on.post(`${action}!`, action)
      }
      await on.agent.whenIdle()
      const { answer, problems, proved, requests } = await on.verify()
      assert.deepEqual([answer, problems], ['clean', []])
      assert.equal(proved, requests)
      assert.deepEqual(stranded(on.events), [])
      const refused = on.all('request/settled').filter(({ data }) => data.error?.code === 'BAD_REQUEST')
      assert.deepEqual(refused, [])
    }),
    { numRuns: 60 },
  )
})

/**
 * Rule 16: ends of turns behind which what waited was neither started nor parked. What waits at the end of a log whose
 * agent is idle waits for something that wakes.
 */
function stranded(events: readonly SessionEvent[]): readonly string[] {
  const wrong: string[] = []
  for (const [index, event] of events.entries()) {
    if (event.type !== 'turn/end') continue
    const waiting = fold(inbox, events, index + 1)
    const left = waiting.nextTurn.length + waiting.nextStep.length
    const next = events[index + 1]?.type
    const stopped = ['cancelled', 'budget', 'error', 'interrupted'].includes(event.data.outcome)
    if (stopped && left > 0 && next !== 'inbox/parked') wrong.push(`after ${event.data.outcome} comes ${next}`)
    if (!stopped && due(waiting) && next !== 'turn/start') wrong.push(`after ${event.data.outcome} comes ${next}`)
  }
  if (due(fold(inbox, events))) wrong.push('something is due and the agent is idle')
  return wrong
}

/** A provider that keeps what it was sent; the bodies are the very bytes the next request is made with. */
function keeping(script: readonly ScriptEntry[]): { readonly provider: Provider; readonly sent: EncodedRequest[] } {
  const inner = scriptedProvider({ script })
  const sent: EncodedRequest[] = []
  const stream: Provider['stream'] = (request, signal) => {
    sent.push(request)
    return inner.stream(request, signal)
  }
  return { sent, provider: { name: 'scripted', dialect: inner.dialect, facts: (model) => inner.facts(model), stream } }
}

for (const [what, corrupt] of [
  ['bytes of an old message', ({ body }: EncodedRequest) => void body[0]?.fill(120, 20, 24)],
  ['the running hash', (_: EncodedRequest, memo: Hasher | undefined) => void memo?.update('!')],
] as const)
  test(`a memo corrupted in memory (${what}) sends nothing, and the turn ends REQUEST_DIVERGED`, async () => {
    const { provider, sent } = keeping([{ text: 'one' }, { text: 'two' }])
    const hashing = watchedHasher()
    const on = await stage({ provider, ports: { ...countingPorts(), hasher: hashing.hasher } })
    await on.say('one')
    const [first] = sent
    assert.ok(first)
    corrupt(first, hashing.memo())
    await on.say('two')
    assert.equal(sent.length, 1)
    assert.deepEqual(on.outcomes(), ['completed', 'error'])
    assert.equal(on.all('turn/end')[1]?.data.error?.code, 'REQUEST_DIVERGED')
    assert.equal(on.all('request/settled')[1]?.data.error?.code, 'REQUEST_DIVERGED')
    assert.deepEqual(on.types('retry/scheduled'), [])
    await on.close()
    const again = await stage({
      store: on.store,
      resume: on.session.id,
      ports: countingPorts(1000),
      script: [{ text: 'well' }],
    })
    await again.say('and now?')
    assert.equal(again.outcomes().at(-1), 'completed')
  })

/** A hasher, and the running state behind the requests derived so far: the first that is ever copied. */
function watchedHasher(): { readonly hasher: NewHasher; memo(): Hasher | undefined } {
  let memo: Hasher | undefined
  const watched = (inner: Hasher): Hasher => ({
    update(data) {
      inner.update(data)
      return this
    },
    copy() {
      memo ??= this
      return inner.copy()
    },
    digest: () => inner.digest(),
  })
  return { hasher: () => watched(nodeHasher()), memo: () => memo }
}
