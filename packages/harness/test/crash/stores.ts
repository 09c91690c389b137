import { MemoryStore, type Store } from '@rein/session'
import { nodeHasher } from '../../src/store/hasher.ts'
import { processHolder } from '../../src/store/jsonl/holder.ts'
import { jsonlStore } from '../../src/store/jsonl/store.ts'
import type { CrashStore } from '../../src/testing/crash/point.ts'
import { holder, Scratch, value } from '../store/scratch.ts'

/** Stores as things that can be crashed, by name. */
export const crashStores = {
  memory: async (): Promise<CrashStore> => memory(),
  jsonl: async (): Promise<CrashStore> => jsonl(),
}

/** The store of that name in a home, as a process of its own opens it. */
export function openStore(name: string, home: string): Store {
  if (name === 'jsonl') return jsonlStore({ home, now: Date.now, pollMs: 20 })
  throw new Error(`no store ${name} is on a disk`)
}

export type CrashStoreName = keyof typeof crashStores

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
      const blocks: Uint8Array[] = []
      for await (const block of lease.bytes()) blocks.push(block)
      await lease.release()
      const log = Buffer.concat(blocks)
      store.load(id, new Uint8Array(log.subarray(0, log.length - bytes)), '/work')
      for (const item of posted) await store.post(id, item)
    },
    dispose: async () => undefined,
  }
}

function jsonl(): CrashStore {
  const scratch = new Scratch()
  return {
    store: scratch.store(),
    other: scratch.store(),
    holder,
    // This machine and a process of this number that began at another time: it is gone for good.
    dead: (number) => ({ ...processHolder(), started: `gone-${number}` }),
    silence: async (id) => scratch.silence(id),
    cutLog: async (id, bytes) => scratch.cutLog(id, bytes),
    dispose: async () => scratch.dispose(),
  }
}
