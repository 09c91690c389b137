import { type Failure, FailureError } from './failure.ts'
import type { Holder, LogEnds, Posted, Watched } from './store.ts'

const NEWLINE = 10

/** What several memory stores share, as processes share a disk. */
export class MemoryDisk {
  readonly sessions = new Map<string, MemorySession>()
  readonly trashed = new Map<string, { readonly session: MemorySession; readonly at: number }>()
  /** Once true, nothing can be written any more. */
  failed = false
  /** Bytes of log that can still be written. */
  #left: number

  constructor(failAfterBytes = Number.POSITIVE_INFINITY) {
    this.#left = failAfterBytes
  }

  /** @returns how many of these bytes get through; fewer than asked is the crash. */
  take(bytes: number): number {
    const granted = this.failed ? 0 : Math.min(bytes, this.#left)
    this.#left -= granted
    if (granted < bytes) this.failed = true
    return granted
  }

  /** All of them or none, as a rename does. */
  takeAll(bytes: number): boolean {
    if (this.failed || bytes > this.#left) {
      this.failed = true
      return false
    }
    this.#left -= bytes
    return true
  }

  refusal(): Failure {
    return { code: 'LOG_WRITE', message: 'the memory store reached its byte limit', next: 'Use its survivor().' }
  }

  copy(after: 'crash' | 'power-loss'): MemoryDisk {
    const disk = new MemoryDisk()
    for (const [id, session] of this.sessions) disk.sessions.set(id, session.copy(after))
    for (const [name, { session, at }] of this.trashed) disk.trashed.set(name, { session: session.copy(after), at })
    return disk
  }
}

/** Where the whole lines of a log end. The same rule as for files: a last record may lack only its newline. */
function tailOf(bytes: Uint8Array): { readonly tail: 'clean' | 'lacks-newline' | 'torn'; readonly lines: number } {
  let lines = 0
  for (const byte of bytes) if (byte === NEWLINE) lines++
  const rest = bytes.subarray(bytes.lastIndexOf(NEWLINE) + 1)
  if (rest.length === 0) return { tail: 'clean', lines }
  try {
    JSON.parse(new TextDecoder().decode(rest))
    return { tail: 'lacks-newline', lines: lines + 1 }
  } catch (cause) {
    if (cause instanceof SyntaxError) return { tail: 'torn', lines }
    throw cause
  }
}

/** One session's log, inbox and blobs. */
export class MemorySession {
  readonly id: string
  readonly cwd: string | null
  readonly blobs = new Map<string, Uint8Array>()
  /** Side files of publishes. */
  readonly aside = new Map<string, Uint8Array>()
  readonly posted = new Map<string, Posted>()
  readonly settled = new Set<string>()
  readonly postListeners = new Set<() => void>()
  readonly #changeListeners = new Set<() => void>()
  epoch = 0
  /** undefined when nobody holds it. */
  holder: Holder | undefined
  renewed = 0
  changed = 0
  broken = false
  /** Appended in place; replaced by a new list when another log is published. */
  chunks: Uint8Array[] = []
  size = 0
  lines = 0
  tail: 'clean' | 'lacks-newline' | 'torn' = 'clean'
  synced = 0

  constructor(id: string, cwd: string | null) {
    this.id = id
    this.cwd = cwd
  }

  static found(
    id: string,
    bytes: Uint8Array,
    of: { readonly cwd: string | null; readonly now: number },
  ): MemorySession {
    const session = new MemorySession(id, of.cwd)
    session.replace(bytes.slice())
    session.changed = of.now
    return session
  }

  replace(bytes: Uint8Array): void {
    const { tail, lines } = tailOf(bytes)
    this.chunks = bytes.length === 0 ? [] : [bytes]
    this.size = bytes.length
    this.synced = bytes.length
    this.tail = tail
    this.lines = lines
  }

  append(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.chunks.push(bytes)
    this.size += bytes.length
  }

  changedNow(now: number): void {
    this.changed = now
    for (const listener of [...this.#changeListeners]) listener()
  }

  post(item: Posted): void {
    if (this.posted.has(item.id) || this.settled.has(item.id)) return
    this.posted.set(item.id, item)
    for (const listener of [...this.postListeners]) listener()
  }

  /** Bytes of everything that belongs to it. */
  weight(): number {
    let bytes = this.size
    for (const part of [this.blobs, this.aside]) for (const each of part.values()) bytes += each.length
    return bytes
  }

  ends({ head, tail }: { readonly head: number; readonly tail: number }): LogEnds {
    const all = joined(this.chunks, this.size)
    const first = all.slice(0, head)
    return { head: first, tail: all.slice(Math.max(first.length, this.size - tail)), bytes: this.size }
  }

  /** The log as it stands now; what is appended later is not in it. */
  blocks(): AsyncIterable<Uint8Array> {
    const chunks = [...this.chunks]
    return {
      async *[Symbol.asyncIterator]() {
        yield* chunks
      },
    }
  }

  copy(after: 'crash' | 'power-loss'): MemorySession {
    const all = joined(this.chunks, this.size)
    const kept = after === 'crash' ? all : all.slice(0, this.synced)
    const session = MemorySession.found(this.id, kept, { cwd: this.cwd, now: this.changed })
    session.epoch = this.epoch
    for (const [id, item] of this.posted) session.posted.set(id, item)
    for (const id of this.settled) session.settled.add(id)
    for (const [name, bytes] of this.blobs) session.blobs.set(name, bytes)
    for (const [name, bytes] of this.aside) session.aside.set(name, bytes)
    return session
  }

  async *watch(from: number, signal: AbortSignal): AsyncGenerator<Watched> {
    const delivered: string[] = []
    let source: Uint8Array[] | undefined
    while (!signal.aborted) {
      const size = this.size
      const lines = wholeLines(this.chunks, size)
      if (source !== this.chunks) {
        source = this.chunks
        const differs = delivered.findIndex((line, index) => lines[from + index] !== line)
        if (differs !== -1) {
          delivered.length = differs
          yield { kind: 'reset', from: from + differs }
        }
      }
      const fresh = lines.slice(from + delivered.length)
      if (fresh.length > 0) {
        const at = from + delivered.length
        delivered.push(...fresh)
        yield { kind: 'lines', from: at, lines: fresh }
      }
      if (source === this.chunks && size === this.size) await this.#nextChange(signal)
    }
  }

  #nextChange(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#changeListeners.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      this.#changeListeners.add(done)
      signal.addEventListener('abort', done)
      if (signal.aborted) done()
    })
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const all = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}

function wholeLines(chunks: readonly Uint8Array[], size: number): readonly string[] {
  const lines = new TextDecoder().decode(joined(chunks, size)).split('\n')
  lines.pop()
  return lines
}

/** The failure of a holder that was overtaken. */
export const takenOver = (id: string): FailureError =>
  new FailureError({
    code: 'SESSION_TAKEN',
    message: `session ${id} was taken over by another process`,
    next: 'Follow it there, or resume it once that process has ended.',
  })
