import { parentPort } from 'node:worker_threads'
import { acknowledged, stillHighest } from '../../src/store/jsonl/one-writer.ts'
import { everyInterleaving, type Scenario, type Search } from './every-interleaving.ts'
import type { Acknowledge, Process } from './model-disk.ts'

// A thread of its own: where tests are declared, node's bookkeeping for them makes every await four times slower.

export interface Searches {
  /** A holder that is frozen or gives the session back, and two takers. */
  readonly frozen: Search
  /** The same while a taker dies after so many operations. */
  readonly dying: ReadonlyMap<number, Search>
  /** Protocols that are wrong, which the search must find out. */
  readonly checkedBefore: Search
  readonly wrongOrder: Search
}

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

const found: Searches = { frozen, dying, checkedBefore, wrongOrder }
parentPort?.postMessage(found)
