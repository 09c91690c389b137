import assert from 'node:assert/strict'
import { once } from 'node:events'
import test from 'node:test'
import { Worker } from 'node:worker_threads'
import { played, type Scenario } from './every-interleaving.ts'
import type { Process } from './model-disk.ts'
import type { Searches } from './one-writer-searches.ts'

type Work = () => Promise<void>

const searching = new Worker(new URL('./one-writer-searches.ts', import.meta.url))
const [searches]: [Searches] = (await once(searching, 'message')) as [Searches]
const { frozen, dying, checkedBefore, wrongOrder } = searches

test('a claim on a look from before two take-overs neither writes nor lets the overtaken one write', async () => {
  const scenario: Scenario = {
    processes: 5,
    begin: ([first, ...others]) => {
      const lock = first?.created()
      const frozen: Work = async () => void (lock && (await first?.write(lock, { log: 1, lines: ['h'] })))
      const take = (other: Process): Work => {
        return () => other.take([`t${other.number}`])
      }
      return [frozen, ...others.map(take)]
    },
  }
  const all = Number.POSITIVE_INFINITY
  // 4 has looked and judged lock 1. 1 holds epoch 2 and freezes before its write. 2 and 3 take over and remove locks
  // 2 and 3. Then 4 creates lock 2 once more, 1 wakes and writes, and 4 goes on.
  const looked = [4, 2] as const
  const frozenAtWrite = [1, 14] as const
  assert.equal(
    await played(scenario, [looked, frozenAtWrite, [2, all], [3, all], [4, 1], [1, all], [4, all]]),
    undefined,
  )
  // 4 goes on at once, while 3, in epoch 4, stands before its own write.
  assert.equal(
    await played(scenario, [looked, frozenAtWrite, [2, all], [3, 11], [4, 16], [3, all], [4, all]]),
    undefined,
  )
})

test('a holder that is frozen or gives the session back, and two takers: no interleaving loses an acknowledged line', () => {
  assert.equal(frozen.broken, undefined)
  assert.ok(frozen.interleavings > 1_000_000_000_000n, `${frozen.interleavings} interleavings`)
})

for (const [operations, search] of dying) {
  test(`no interleaving loses a line when a taker dies after ${operations} operations, the holder still frozen`, () => {
    assert.equal(search.broken, undefined)
  })
}

test('the search finds the lost line where the claim is checked before the write', () => {
  assert.match(String(checkedBefore.broken), /is lost|two writers/)
})

test('the search finds the lost line where the own lock is looked at before the higher one', () => {
  assert.match(String(wrongOrder.broken), /is lost|two writers/)
})
