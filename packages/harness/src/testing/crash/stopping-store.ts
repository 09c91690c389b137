import { type Failure, FailureError, type Lease, type Result, type Store } from '@rein/session'

/** Where the writing stops. */
export interface Stop {
  /** So many bytes of log get through, counted over all sessions. A publish is atomic and counts as one. */
  readonly bytes: number
  /** `written`: nothing happens after the last byte; `synced`: what needs no further byte still does. */
  readonly after: 'written' | 'synced'
  /** The store writes a line whole or not at all. */
  readonly wholeLines?: boolean
}

/** How a process ended: killed, and what it wrote is there; or with the machine, and only what was synced is. */
export type Death = 'killed' | 'power-loss'

/** What one process wrote to one session. */
export class Written {
  /** Whole lines, in order; empty text for those that it found. */
  lines: string[] = []
  /** How many of them were synced. */
  synced = 0
  /** The line that a crash tore: its bytes, and how many of them got through. */
  torn: { readonly bytes: number; readonly through: number } | undefined

  found(lines: number): void {
    this.lines = Array.from({ length: lines }, () => '')
    this.synced = lines
  }

  /** What must be there after a death. */
  safe(death: Death): readonly string[] {
    return death === 'killed' ? this.lines : this.lines.slice(0, this.synced)
  }

  /** Bytes that stand at the end of the log and that a death does not leave. */
  lost(death: Death): number {
    const { bytes, through } = this.torn ?? { bytes: 0, through: 0 }
    if (death === 'killed') return bytes - through
    return this.lines.slice(this.synced).reduce((sum, line) => sum + sizeOf(line), bytes)
  }
}

/** A store that dies at a byte, as the process that holds it would: from then on nothing of it reaches the disk. */
export class StoppingStore implements Store {
  readonly name: string
  /** By session. */
  readonly written = new Map<string, Written>()
  /** Where each line ended, in bytes written so far over all sessions. */
  readonly lineEnds: number[] = []
  /** Resolves when it has stopped. */
  readonly stopped: Promise<void>
  readonly #inner: Store
  readonly #stop: Stop
  readonly #leases: Lease[] = []
  #left: number
  #bytes = 0
  #dead = false
  #die: () => void = () => undefined

  constructor(inner: Store, stop: Stop) {
    this.#inner = inner
    this.#stop = stop
    this.#left = stop.bytes
    this.name = inner.name
    this.stopped = new Promise((resolve) => {
      this.#die = resolve
    })
  }

  get dead(): boolean {
    return this.#dead
  }

  /** The process dies here. */
  die(): void {
    this.#dead = true
    this.#die()
  }

  /** Free what the leases of the dead hold open. The test is over: what this does to the store no longer counts. */
  async bury(): Promise<void> {
    for (const lease of this.#leases) await lease.release()
  }

  create: Store['create'] = (id, options) => this.#held(() => this.#inner.create(id, options))
  acquire: Store['acquire'] = (id, options) => this.#held(() => this.#inner.acquire(id, options))
  list: Store['list'] = (...known) => this.#inner.list(...known)
  ends: Store['ends'] = (id, most) => this.#inner.ends(id, most)
  read: Store['read'] = (id) => this.#inner.read(id)
  watch: Store['watch'] = (id, from, signal) => this.#inner.watch(id, from, signal)
  post: Store['post'] = (id, item) => this.#unlessDead(() => this.#inner.post(id, item))
  blobs: Store['blobs'] = (id) => this.#inner.blobs(id)
  beside: Store['beside'] = (id, part) => this.#inner.beside(id, part)
  trash: Store['trash'] = (id) => this.#unlessDead(() => this.#inner.trash(id))
  trashed: Store['trashed'] = () => this.#inner.trashed()
  restore: Store['restore'] = (name) => this.#unlessDead(() => this.#inner.restore(name))
  emptyTrash: Store['emptyTrash'] = (names) => this.#inner.emptyTrash(names)

  #unlessDead<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
    return this.#dead ? Promise.resolve({ ok: false, failure: died }) : work()
  }

  async #held(take: () => Promise<Result<Lease>>): Promise<Result<Lease>> {
    const lease = await this.#unlessDead(take)
    if (!lease.ok) return lease
    this.#leases.push(lease.value)
    return { ok: true, value: await this.#mortal(lease.value) }
  }

  async #mortal(inner: Lease): Promise<Lease> {
    const kept = new Written()
    this.written.set(inner.id, kept)
    const alive = async <T>(work: () => Promise<T>): Promise<T> => {
      if (this.#dead) throw new FailureError(died)
      return work()
    }
    return {
      id: inner.id,
      epoch: inner.epoch,
      bytes: () => inner.bytes(),
      publish: (lines, aside) => alive(() => this.#publish(inner, kept, { lines, aside })),
      append: (seq, lines) => alive(() => this.#append(inner, kept, { seq, lines })),
      sync: () =>
        alive(async () => {
          const written = kept.lines.length
          await inner.sync()
          kept.synced = written
        }),
      check: () => alive(() => inner.check()),
      renew: () => alive(() => inner.renew()),
      posted: () => alive(() => inner.posted()),
      settle: (ids) => alive(() => inner.settle(ids)),
      amend: (pieces) => alive(() => inner.amend(pieces)),
      onPosted: (listener) => inner.onPosted(listener),
      release: async () => (this.#dead ? undefined : inner.release()),
    }
  }

  async #publish(
    inner: Lease,
    kept: Written,
    { lines, aside }: { lines: readonly string[]; aside: Parameters<Lease['publish']>[1] },
  ): Promise<void> {
    if (this.#left < 1) return this.#end()
    await inner.publish(lines, aside)
    kept.lines = [...lines]
    kept.synced = lines.length
    this.#bytes++
    this.lineEnds.push(this.#bytes)
    this.#spend(1)
  }

  async #append(inner: Lease, kept: Written, { seq, lines }: { seq: number; lines: readonly string[] }): Promise<void> {
    // Lines that were there before this process came are not its own to count.
    if (kept.lines.length === 0) kept.found(seq)
    const { whole, bytes } = fitting(lines, this.#left)
    const through = this.#stop.wholeLines === true ? 0 : this.#left - bytes
    const torn = whole < lines.length && through > 0 ? sizeOf(lines[whole]) : 0
    const given = lines.slice(0, torn > 0 ? whole + 1 : whole)
    if (given.length > 0) await inner.append(seq, given)
    for (const line of lines.slice(0, whole)) {
      kept.lines.push(line)
      this.#bytes += sizeOf(line)
      this.lineEnds.push(this.#bytes)
    }
    if (torn > 0) kept.torn = { bytes: torn, through }
    this.#spend(bytes)
    if (whole < lines.length) this.#end()
  }

  #spend(bytes: number): void {
    this.#left -= bytes
    if (this.#left === 0 && this.#stop.after === 'written') this.die()
  }

  #end(): never {
    this.die()
    throw new FailureError(died)
  }
}

/** How many of these lines get through whole, and their bytes. */
function fitting(lines: readonly string[], left: number): { readonly whole: number; readonly bytes: number } {
  let bytes = 0
  for (const [whole, line] of lines.entries()) {
    if (bytes + sizeOf(line) > left) return { whole, bytes }
    bytes += sizeOf(line)
  }
  return { whole: lines.length, bytes }
}

const sizeOf = (line: string | undefined): number => (line === undefined ? 0 : Buffer.byteLength(line) + 1)

const died: Failure = { code: 'LOG_WRITE', message: 'the process is dead' }
