import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FailureError, MemoryStore } from '@rein/session'
import { missing } from './failures.ts'
import { findSession } from './find.ts'
import { nodeHasher } from './hasher.ts'
import type { SessionStore } from './session-store.ts'
import { spillFiles } from './spill.ts'

/** The memory of this process, by home. */
const memories = new Map<string, SessionStore>()

/** What was kept in memory for this home in this process so far; undefined when nothing was. */
export const memoryOf = (home: string): SessionStore | undefined => memories.get(home)

/**
 * Sessions of this process, for one home: nothing of them outlives it. Whoever asks for the same home gets the same
 * ones. Spill files are real ones, in a folder of the system's that goes when the process ends.
 */
export function memoryStore(home: string, now: () => number): SessionStore {
  const known = memories.get(home)
  if (known) return known
  const store = new MemoryStore({ hasher: nodeHasher, now })
  const has = async (id: string): Promise<boolean> => (await store.ends(id, { head: 0, tail: 0 })).ok
  const made: SessionStore = {
    name: store.name,
    create: (id, options) => store.create(id, options),
    acquire: (id, options) => store.acquire(id, options),
    list: () => store.list(),
    read: (id) => store.read(id),
    ends: (id, most) => store.ends(id, most),
    watch: (id, from, signal) => store.watch(id, from, signal),
    post: (id, item) => store.post(id, item),
    blobs: (id) => store.blobs(id),
    trash: (id) => store.trash(id),
    trashed: () => store.trashed(),
    restore: (name) => store.restore(name),
    emptyTrash: (names) => store.emptyTrash(names),
    find: async (typed, cwd) => findSession(await store.list(), typed, cwd),
    spill: (id) =>
      spillFiles(async () => {
        if (await has(id)) return join(spillRoot(), id)
        throw new FailureError(missing(id))
      }),
    spillFolder: async (id) => ((await has(id)) ? join(spillRoot(), id) : undefined),
  }
  memories.set(home, made)
  return made
}

let root: string | undefined

function spillRoot(): string {
  if (root !== undefined) return root
  const folder = mkdtempSync(join(tmpdir(), 'rein-memory-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  root = folder
  return folder
}
