import { type Holder, MemoryStore, type Store } from '@rein/session'
import { nodeHasher } from '../../src/store/hasher.ts'
import { processHolder } from '../../src/store/jsonl/holder.ts'
import { jsonlStore } from '../../src/store/jsonl/store.ts'
import { sqliteStore } from '../../src/store/sqlite/store.ts'
import type { CrashStore } from '../../src/testing/crash/point.ts'
import type { CrashSuite } from '../../src/testing/crash/suite.ts'
import { bytesOf, holder, Scratch, value } from '../store/scratch.ts'
import { SqliteScratch } from '../store/sqlite-scratch.ts'

/** Stores as things that can be crashed, by name. */
const crashStores = {
  memory: async (): Promise<CrashStore> => memory(),
  jsonl: async (): Promise<CrashStore> => ({ ...new Scratch().underTest(), dead }),
  sqlite: async (): Promise<CrashStore> => ({ ...new SqliteScratch().underTest(), dead }),
}

export type CrashStoreName = keyof typeof crashStores

/** The suite on one of them. A database writes a line whole or not at all. */
export const crashSuite = (name: CrashStoreName, points: number, seed = 1): CrashSuite => ({
  name,
  make: crashStores[name],
  hasher: nodeHasher,
  points,
  seed,
  wholeLines: name === 'sqlite',
})

/** The store of that name in a home, as a process of its own opens it. */
export function openStore(name: string, home: string, silentMs = 5000): Store {
  const options = { home, now: Date.now, pollMs: 20, silentMs }
  if (name === 'jsonl') return jsonlStore(options)
  if (name === 'sqlite') return sqliteStore(options)
  throw new Error(`no store ${name} is on a disk`)
}

function memory(): CrashStore {
  let time = 1_764_500_000_000
  const store = new MemoryStore({ hasher: nodeHasher, now: () => ++time })
  const silence = async () => {
    time += 60_000
  }
  return {
    store,
    other: store.another(),
    holder,
    silence,
    async cutLog(id, bytes) {
      await silence()
      const lease = value(await store.acquire(id, { holder: holder(99) }))
      const posted = await lease.posted()
      const log = await bytesOf(lease.bytes())
      await lease.release()
      store.load(id, new Uint8Array(log.subarray(0, log.length - bytes)), '/work')
      for (const item of posted) await store.post(id, item)
    },
    dispose: async () => undefined,
  }
}

/** This machine and a process that began at another time: it is gone for good. */
const dead = (number: number): Holder => ({ ...processHolder(), started: `gone-${number}` })
