import { type Failure, FailureError } from './failure.ts'
import { amendIn } from './memory-beside.ts'
import { type MemoryDisk, type MemorySession, takenOver } from './memory-session.ts'
import type { Amendment, Lease, Posted } from './store.ts'

/** The right to write a session of a memory store. The epoch is checked inside each write, as a database does it. */
export class MemoryLease implements Lease {
  readonly epoch: number
  readonly #disk: MemoryDisk
  readonly #session: MemorySession
  readonly #now: () => number
  readonly #acquired: AsyncIterable<Uint8Array>
  #dead: Failure | undefined
  #released = false

  constructor(disk: MemoryDisk, session: MemorySession, now: () => number) {
    this.#disk = disk
    this.#session = session
    this.#now = now
    this.epoch = session.epoch
    this.#acquired = session.blocks()
  }

  get id(): string {
    return this.#session.id
  }

  bytes(): AsyncIterable<Uint8Array> {
    return this.#acquired
  }

  async publish(
    lines: readonly string[],
    aside?: { readonly name: string; readonly bytes: Uint8Array },
  ): Promise<void> {
    this.#alive()
    const bytes = encode(lines)
    if (!this.#disk.takeAll(bytes.length)) throw this.#refused()
    if (aside) this.#session.aside.set(aside.name, aside.bytes.slice())
    this.#session.replace(bytes)
    this.#session.changedNow(this.#now())
  }

  async append(expectedSeq: number, lines: readonly string[]): Promise<void> {
    this.#alive()
    const session = this.#session
    if (session.tail === 'torn') throw new FailureError(tornLog(this.id))
    if (session.lines !== expectedSeq) {
      throw new RangeError(
        `the log holds ${session.lines} lines and the writer expected ${expectedSeq}: nothing was written`,
      )
    }
    const mend = session.tail === 'lacks-newline' ? new Uint8Array([10]) : new Uint8Array(0)
    const text = encode(lines)
    if (text.length === 0) return
    const bytes = new Uint8Array(mend.length + text.length)
    bytes.set(mend)
    bytes.set(text, mend.length)
    const granted = this.#disk.take(bytes.length)
    session.append(bytes.subarray(0, granted))
    if (granted < bytes.length) throw this.#refused()
    session.tail = 'clean'
    session.lines += lines.length
    session.changedNow(this.#now())
  }

  async sync(): Promise<void> {
    this.#alive()
    if (this.#disk.failed) throw this.#refused()
    this.#session.synced = this.#session.size
  }

  async check(): Promise<void> {
    this.#alive()
  }

  async renew(): Promise<void> {
    this.#alive()
    this.#session.renewed = this.#now()
  }

  async posted(): Promise<readonly Posted[]> {
    this.#alive()
    return [...this.#session.posted.values()]
  }

  async settle(ids: readonly string[]): Promise<void> {
    this.#alive()
    if (this.#disk.failed) throw this.#refused()
    for (const id of ids) {
      this.#session.posted.delete(id)
      this.#session.settled.add(id)
    }
  }

  async amend(pieces: readonly Amendment[]): Promise<boolean> {
    this.#alive()
    if (this.#disk.failed) throw this.#refused()
    amendIn(this.#session, pieces)
    return true
  }

  onPosted(listener: () => void): Disposable {
    const heard = (): void => listener()
    this.#session.postListeners.add(heard)
    return { [Symbol.dispose]: () => void this.#session.postListeners.delete(heard) }
  }

  async release(): Promise<void> {
    if (this.#released) return
    this.#released = true
    this.#dead ??= { code: 'SESSION_TAKEN', message: `the right to write session ${this.id} was given back` }
    if (this.#session.epoch === this.epoch) this.#session.holder = undefined
  }

  #alive(): void {
    if (this.#dead) throw new FailureError(this.#dead)
    if (this.#session.epoch === this.epoch) return
    const taken = takenOver(this.id)
    this.#dead = taken.failure
    throw taken
  }

  /** The disk said no: this lease can write no more. */
  #refused(): FailureError {
    this.#dead = this.#disk.refusal()
    return new FailureError(this.#dead)
  }
}

function encode(lines: readonly string[]): Uint8Array {
  // One line break inside a line would shift every later position.
  for (const line of lines) if (line.includes('\n')) throw new RangeError('a line of the log holds a line break')
  return new TextEncoder().encode(lines.map((line) => `${line}\n`).join(''))
}

const tornLog = (id: string): Failure => ({
  code: 'SESSION_DAMAGED',
  message: `the log of session ${id} ends in a torn line`,
  next: 'Publish the repaired lines first, as opening the session does.',
})
