import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Hasher, NewHasher } from '@rein/session'
import fc from 'fast-check'
import type { Provider } from '../../src/model/provider.ts'
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

test('every request of a random run is rebuilt from its log, byte for byte, and the log breaks no rule', async () => {
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
      const refused = on.all('request/settled').filter(({ data }) => data.error?.code === 'BAD_REQUEST')
      assert.deepEqual(refused, [])
    }),
    { numRuns: 60 },
  )
})

test('a memo corrupted in memory sends nothing, and the turn ends REQUEST_DIVERGED', async () => {
  let sent = 0
  const scripted = scriptedProvider({ script: [{ text: 'one' }, { text: 'two' }] })
  const provider: Provider = {
    name: 'scripted',
    dialect: scripted.dialect,
    facts: (model) => scripted.facts(model),
    stream(request, signal) {
      sent++
      return scripted.stream(request, signal)
    },
  }
  const hashing = corruptible()
  const on = await stage({ provider, ports: { ...countingPorts(), hasher: hashing.hasher } })
  await on.say('one')
  assert.equal(sent, 1)
  hashing.corrupt()
  await on.say('two')
  assert.equal(sent, 1)
  assert.equal(on.all('turn/end')[1]?.data.error?.code, 'REQUEST_DIVERGED')
  assert.equal(on.all('request/settled')[1]?.data.error?.code, 'REQUEST_DIVERGED')
})

/** A hasher whose running state behind the requests derived so far, the first that is ever copied, can be spoilt. */
function corruptible(): { readonly hasher: NewHasher; corrupt(): void } {
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
  return { hasher: () => watched(nodeHasher()), corrupt: () => void memo?.update('!') }
}
