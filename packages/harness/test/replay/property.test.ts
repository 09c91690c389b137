import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { same } from './kit.ts'
import { lived, wild, wildOptions } from './random.ts'

test('whatever happens in a session, it replays as it was', async () => {
  await fc.assert(
    fc.asyncProperty(wild, async (session) => {
      const events = await lived(session, wildOptions(session))
      const played = await same(events, wildOptions(session))
      assert.equal(played.same + played.given, events.length)
    }),
    { numRuns: Number(process.env['RUNS'] ?? 25) },
  )
})
