import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FailureError, MemoryStore, type Result, type SessionEntry } from '@rein/session'
import { missing } from './failures.ts'
import { findSession } from './find.ts'
import { nodeHasher } from './hasher.ts'
import type { SessionStore, SpillFiles } from './session-store.ts'
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
  const store = memories.get(home) ?? new SpillingMemory({ hasher: nodeHasher, now })
  memories.set(home, store)
  return store
}

class SpillingMemory extends MemoryStore implements SessionStore {
  async find(typed: string, cwd: string): Promise<Result<SessionEntry>> {
    return findSession(await this.list(), typed, cwd)
  }

  spill(id: string): SpillFiles {
    return spillFiles(async () => {
      const folder = await this.spillFolder(id)
      if (folder === undefined) throw new FailureError(missing(id))
      return folder
    })
  }

  async spillFolder(id: string): Promise<string | undefined> {
    return (await this.ends(id, { head: 0, tail: 0 })).ok ? join(spillRoot(), id) : undefined
  }
}

let root: string | undefined

function spillRoot(): string {
  if (root !== undefined) return root
  const folder = mkdtempSync(join(tmpdir(), 'rein-memory-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  root = folder
  return folder
}
