import { join } from 'node:path'
import type { Blobs, Result, SessionEntry } from '@rein/session'
import { MemoryStore } from '@rein/session'
import { nodeHasher } from '../store/hasher.ts'
import type { SessionStore } from '../store/session-store.ts'
import type { Spill } from '../tools/definition.ts'

/** A store of nothing: pictures and the names of folders come from the real one, and nothing is written anywhere. */
export class ReplayStore extends MemoryStore implements SessionStore {
  readonly #real: Pick<SessionStore, 'blobs' | 'spillFolder'>

  constructor(real: Pick<SessionStore, 'blobs' | 'spillFolder'>) {
    super({ hasher: nodeHasher, now: () => 0 })
    this.#real = real
  }

  override blobs(id: string): Blobs {
    const real = this.#real.blobs(id)
    const { put, link } = super.blobs(id)
    return { get: (sha256) => real.get(sha256), put, link }
  }

  async find(typed: string): Promise<Result<SessionEntry>> {
    return { ok: false, failure: { code: 'SESSION_MISSING', message: `there is no session ${typed}` } }
  }

  spillFolder(id: string): Promise<string | undefined> {
    return this.#real.spillFolder(id)
  }

  spill(id: string): Spill {
    return {
      open: async (name) => {
        const path = join((await this.spillFolder(id)) ?? `/${id}.spill`, name)
        return { path, write: async () => undefined, close: async () => undefined }
      },
    }
  }
}
