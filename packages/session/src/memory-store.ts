import { type Failure, FailureError } from './failure.ts'
import type { NewHasher } from './hasher.ts'
import { besideIn } from './memory-beside.ts'
import { MemoryLease } from './memory-lease.ts'
import { MemoryDisk, MemorySession } from './memory-session.ts'
import { faultOfPosted } from './posted.ts'
import type {
  Beside,
  BesidePart,
  Blobs,
  Holder,
  Lease,
  LogEnds,
  Posted,
  Result,
  SessionEntry,
  Store,
  Trashed,
  Watched,
} from './store.ts'

export interface MemoryOptions {
  readonly hasher: NewHasher
  /** Milliseconds since 1970, UTC. Decides only when a silent holder may be taken over. */
  readonly now: () => number
  /**
   * A crash at this byte: exactly so many bytes of log are kept, over all sessions, and every later write fails with
   * `LOG_WRITE`. A publish is atomic: one that does not fit changes nothing. `survivor()` is what is found afterwards.
   */
  readonly failAfterBytes?: number
}

/**
 * Sessions in memory: the whole store contract without a disk, in a browser too. What other processes would do is
 * done through `another()`, what a crash leaves is `survivor()`.
 */
export class MemoryStore implements Store {
  readonly name = 'memory'
  readonly #options: MemoryOptions
  readonly #disk: MemoryDisk

  constructor(options: MemoryOptions, disk: MemoryDisk = new MemoryDisk(options.failAfterBytes)) {
    this.#options = options
    this.#disk = disk
  }

  /** Another store over the same data, as a second process would have it. */
  another(): MemoryStore {
    return new MemoryStore(this.#options, this.#disk)
  }

  /**
   * A store of its own over a copy of what is there now, every holder dead, writes working again.
   * @param after `crash`: the process was killed, written bytes are there. `power-loss`: only synced ones are.
   */
  survivor(after: 'crash' | 'power-loss' = 'crash'): MemoryStore {
    const { hasher, now } = this.#options
    return new MemoryStore({ hasher, now }, this.#disk.copy(after))
  }

  /** Put a log here as it was found somewhere, damage included; replaces one of that id. No one holds it. */
  load(id: string, bytes: Uint8Array, cwd: string | null = null): void {
    this.#disk.sessions.set(id, MemorySession.found(id, bytes, { cwd, now: this.#options.now() }))
  }

  /** Tests only: the blob keeps its name and loses its bytes, or the whole session can no longer be read. */
  harm(id: string, what: { readonly blob: string } | 'session'): void {
    const session = this.#disk.sessions.get(id)
    if (!session) return
    if (what === 'session') session.broken = true
    else session.blobs.set(what.blob, new Uint8Array([0]))
  }

  async create(id: string, { cwd, holder }: { readonly cwd: string; readonly holder: Holder }): Promise<Result<Lease>> {
    if (this.#disk.failed) return fail(this.#disk.refusal())
    if (this.#disk.sessions.has(id)) return fail(exists(id))
    const session = new MemorySession(id, cwd)
    this.#disk.sessions.set(id, session)
    return this.#lease(session, holder)
  }

  async acquire(
    id: string,
    { holder, silentMs = 5000 }: { readonly holder: Holder; readonly silentMs?: number },
  ): Promise<Result<Lease>> {
    const session = this.#disk.sessions.get(id)
    if (!session) return fail(missing(id))
    if (session.broken) return fail(unreadable(id))
    if (session.holder && this.#options.now() - session.renewed <= silentMs) return fail(busy(id, session.holder))
    return this.#lease(session, holder)
  }

  #lease(session: MemorySession, holder: Holder): Result<Lease> {
    session.epoch += 1
    session.holder = holder
    session.renewed = this.#options.now()
    return { ok: true, value: new MemoryLease(this.#disk, session, this.#options.now) }
  }

  /** Everything is at hand: what is known already spares nothing. */
  async list(): Promise<readonly SessionEntry[]> {
    const entries = [...this.#disk.sessions.values()].map((session): SessionEntry => {
      const held = session.holder !== undefined && this.#options.now() - session.renewed <= 5000
      const state = session.broken ? 'broken' : held ? 'held' : 'free'
      return { id: session.id, bytes: session.size, changed: session.changed, cwd: session.cwd, state }
    })
    return entries.sort((a, b) => b.changed - a.changed || (a.id < b.id ? -1 : 1))
  }

  async read(id: string): Promise<Result<AsyncIterable<Uint8Array>>> {
    const session = this.#disk.sessions.get(id)
    if (!session) return fail(missing(id))
    return session.broken ? fail(unreadable(id)) : { ok: true, value: session.blocks() }
  }

  async ends(id: string, most: { readonly head: number; readonly tail: number }): Promise<Result<LogEnds>> {
    const session = this.#disk.sessions.get(id)
    if (!session) return fail(missing(id))
    return session.broken ? fail(unreadable(id)) : { ok: true, value: session.ends(most) }
  }

  async *watch(id: string, from: number, signal: AbortSignal): AsyncGenerator<Watched> {
    const session = this.#disk.sessions.get(id)
    if (!session) throw new FailureError(missing(id))
    yield* session.watch(from, signal)
  }

  async post(id: string, item: Posted): Promise<Result<void>> {
    const fault = faultOfPosted(item)
    if (fault !== undefined) throw new TypeError(`cannot post: ${fault}`)
    const session = this.#disk.sessions.get(id)
    if (!session) return fail(missing(id))
    if (this.#disk.failed) return fail(this.#disk.refusal())
    session.post(item)
    return { ok: true, value: undefined }
  }

  blobs(id: string): Blobs {
    const nameOf = (bytes: Uint8Array): string => this.#options.hasher().update(bytes).digest()
    const sound = (of: string, sha256: string): Uint8Array | undefined => {
      const bytes = this.#disk.sessions.get(of)?.blobs.get(sha256)
      return bytes && nameOf(bytes) === sha256 ? bytes : undefined
    }
    const keep = (name: string, bytes: Uint8Array): void => {
      const session = this.#disk.sessions.get(id)
      if (!session) throw new FailureError(missing(id))
      if (this.#disk.failed) throw new FailureError(this.#disk.refusal())
      session.blobs.set(name, bytes)
    }
    return {
      put: async (bytes) => {
        const name = nameOf(bytes)
        keep(name, bytes.slice())
        return name
      },
      get: async (sha256) => sound(id, sha256)?.slice(),
      link: async (sha256, from) => {
        const bytes = sound(from, sha256)
        if (bytes) keep(sha256, bytes)
        return bytes !== undefined
      },
    }
  }

  async *beside(id: string, part: BesidePart): AsyncGenerator<Beside> {
    const session = this.#disk.sessions.get(id)
    if (session) yield* besideIn(session, part)
  }

  async trash(id: string): Promise<Result<void>> {
    const session = this.#disk.sessions.get(id)
    if (!session) return fail(missing(id))
    if (session.holder && this.#options.now() - session.renewed <= 5000) return fail(busy(id, session.holder))
    // Whoever still believes to hold it finds a higher epoch.
    session.epoch += 1
    this.#disk.sessions.delete(id)
    const name = Array.from({ length: this.#disk.trashed.size + 1 }, (_, n) => `${id}/${n + 1}`).find(
      (free) => !this.#disk.trashed.has(free),
    )
    this.#disk.trashed.set(name ?? id, { session, at: this.#options.now() })
    session.changedNow(session.changed)
    return { ok: true, value: undefined }
  }

  async trashed(): Promise<readonly Trashed[]> {
    const all = [...this.#disk.trashed].map(([name, { session, at }]) => ({
      name,
      id: session.id,
      at,
      bytes: session.weight(),
    }))
    return all.sort((a, b) => b.at - a.at || (a.name < b.name ? -1 : 1))
  }

  async restore(name: string): Promise<Result<string>> {
    const found = this.#disk.trashed.get(name)
    if (!found) return fail({ code: 'SESSION_MISSING', message: `nothing in the trash is named ${name}` })
    const { id } = found.session
    if (this.#disk.sessions.has(id)) return fail(exists(id))
    this.#disk.trashed.delete(name)
    // Put away while its holder was silent: the epoch went up then, and nobody holds it now.
    found.session.holder = undefined
    this.#disk.sessions.set(id, found.session)
    return { ok: true, value: id }
  }

  async emptyTrash(
    names: readonly string[] = [...this.#disk.trashed.keys()],
  ): Promise<{ readonly removed: number; readonly bytes: number }> {
    const there = new Set(names).intersection(this.#disk.trashed)
    let bytes = 0
    for (const name of there) {
      bytes += this.#disk.trashed.get(name)?.session.weight() ?? 0
      this.#disk.trashed.delete(name)
    }
    return { removed: there.size, bytes }
  }
}

const fail = (failure: Failure): Result<never> => ({ ok: false, failure })
const missing = (id: string): Failure => ({ code: 'SESSION_MISSING', message: `there is no session ${id}` })
const exists = (id: string): Failure => ({ code: 'SESSION_EXISTS', message: `there is a session ${id} already` })
const unreadable = (id: string): Failure => ({ code: 'FILE_ERROR', message: `session ${id} cannot be read` })
const busy = (id: string, by: Holder): Failure => ({
  code: 'SESSION_BUSY',
  message: `session ${id} is held by process ${by.pid} on ${by.host}`,
  next: 'Follow it there, end that process, or wait until it has been silent for some seconds.',
})
