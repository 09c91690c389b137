import { MemoryStore, type SessionEvent } from '@rein/session'
import { nodeHasher } from '../../src/store/hasher.ts'

/** A memory store that notes, in order, each line it was given (`write <type>`) and each `sync`, once it is done. */
export function recordingStore(order: string[]): MemoryStore {
  const store = new MemoryStore({ hasher: nodeHasher, now: () => 0 })
  const create = store.create.bind(store)
  store.create = async (id, options) => {
    const made = await create(id, options)
    if (!made.ok) return made
    const lease = made.value
    const [append, sync] = [lease.append.bind(lease), lease.sync.bind(lease)]
    lease.append = async (seq, lines) => {
      await append(seq, lines)
      for (const line of lines) order.push(`write ${(JSON.parse(line) as SessionEvent).type}`)
    }
    lease.sync = async () => {
      await sync()
      order.push('sync')
    }
    return made
  }
  return store
}
