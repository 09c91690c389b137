import assert from 'node:assert/strict'
import test from 'node:test'
import { acknowledged, stillHighest } from '../../src/store/jsonl/one-writer.ts'
import { everyInterleaving, played, type Scenario, type Search } from './every-interleaving.ts'
import type { Acknowledge, Process } from './model-disk.ts'

type Work = () => Promise<void>

interface Cast {
  /** What the holder writes, one acknowledged line after the other. */
  readonly holder: readonly string[]
  readonly releases?: boolean
  /** What each of the two takers writes once it has the session. */
  readonly taker: readonly string[]
  readonly deaths?: ReadonlyMap<number, number>
  readonly counts?: Acknowledge
}

/** Process 0 created the session and writes; 1 and 2 find it silent, or gone, at any moment and take it. */
function holderAndTwoTakers(cast: Cast): Scenario {
  const counts = cast.counts ?? acknowledged
  return {
    processes: 3,
    ...(cast.deaths ? { deaths: cast.deaths } : { alike: true }),
    begin(processes) {
      const [first, ...others] = processes
      if (!first) return []
      const lock = first.created()
      const hold: Work = async () => {
        const all = await first.write(lock, { log: 1, lines: cast.holder, counts })
        if (all && cast.releases) await first.release(lock)
      }
      return [
        hold,
        ...others.map(
          (other: Process): Work =>
            () =>
              other.take(cast.taker, counts),
        ),
      ]
    },
  }
}

// The searches run before the first test is declared: the runner's own bookkeeping makes every await four times slower.
const frozen = await everyInterleaving(holderAndTwoTakers({ holder: ['h'], releases: true, taker: ['t'] }))
const dying = new Map<number, Search>()
for (const operations of [4, 6]) {
  const deaths = new Map([[1, operations]])
  dying.set(operations, await everyInterleaving(holderAndTwoTakers({ holder: ['h'], taker: ['t'], deaths })))
}

const before: Acknowledge = async (ground, lock, write) => {
  const ours = await stillHighest(ground, lock)
  if (ours) await write()
  return ours
}
const checkedBefore = await everyInterleaving(holderAndTwoTakers({ holder: ['h'], taker: ['t'], counts: before }))

const reversed: Acknowledge = async (ground, lock, write) => {
  await write()
  if ((await ground.lockIdentity(lock.epoch)) !== lock.identity) return false
  return (await ground.lockIdentity(lock.epoch + 1)) === undefined
}
const wrongOrder = await everyInterleaving(holderAndTwoTakers({ holder: ['h'], taker: [], counts: reversed }))

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
