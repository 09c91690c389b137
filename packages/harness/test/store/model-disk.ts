import type { Holder } from '@rein/session'
import type { Ground, OwnLock, SeenLock } from '../../src/store/jsonl/ground.ts'
import { acknowledged, claimNext, clean, inherit, type Judge, stillHighest } from '../../src/store/jsonl/one-writer.ts'

/** A file of the model. Its identity is its maker and a count, so that equal states look equal. */
interface Node {
  readonly identity: string
  readonly owner: number
  readonly lines: string[]
  released: boolean
}

export interface Acknowledged {
  readonly by: number
  readonly position: number
  readonly line: string
}

/** A folder in memory, every operation of which happens at once. */
export class ModelDisk {
  readonly names = new Map<string, Node>()
  readonly acknowledged: Acknowledged[] = []

  node(owner: number, identity: string, lines: readonly string[] = []): Node {
    return { identity, owner, lines: [...lines], released: false }
  }

  epochs(kind: 'log' | 'lock'): readonly number[] {
    const found = [...this.names.keys()].filter((name) => name.startsWith(`${kind} `))
    return found.map((name) => Number(name.slice(kind.length + 1))).sort((a, b) => a - b)
  }

  /** The log that every reader takes. */
  published(): readonly string[] {
    return this.names.get(`log ${this.epochs('log').at(-1)}`)?.lines ?? []
  }

  key(): string {
    const files = [...this.names].map(([name, node]) => [name, node.identity, node.released, node.lines])
    const acknowledged = this.acknowledged.map(({ position, line }) => `${position} ${line}`).sort()
    return JSON.stringify([files.sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1)), acknowledged])
  }
}

/** Whether a write counts: the protocol's own, or a wrong one that the search must find out. */
export type Acknowledge = typeof acknowledged

/** One process: it stops before each file operation until the search lets it do that one. */
export class Process {
  readonly number: number
  readonly #disk: ModelDisk
  readonly #isGone: (number: number) => boolean
  /** Answers that what comes next may depend on. */
  #history: unknown[] = []
  #done = 0
  readonly #diesAfter: number
  #made = 0
  #next: (() => void) | undefined
  #parked: () => void = () => {}
  ended = false

  constructor(
    number: number,
    world: { readonly disk: ModelDisk; readonly isGone: (number: number) => boolean; readonly diesAfter?: number },
  ) {
    this.number = number
    this.#disk = world.disk
    this.#isGone = world.isGone
    this.#diesAfter = world.diesAfter ?? Number.POSITIVE_INFINITY
  }

  get begun(): boolean {
    return this.#done > 0
  }

  /** Run up to the first operation. */
  async start(work: () => Promise<void>): Promise<void> {
    await this.#until(() => {
      void work().then(() => {
        this.ended = true
        this.#parked()
      })
    })
  }

  /** Do the operation it stands before and run up to the next, or to its end or death. */
  async advance(): Promise<void> {
    const next = this.#next
    this.#next = undefined
    if (++this.#done > this.#diesAfter) this.ended = true
    else if (next) await this.#until(next)
  }

  async #until(run: () => void): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#parked = resolve
      run()
    })
  }

  #step<T>(operation: () => T): Promise<T> {
    return new Promise((resolve) => {
      this.#next = () => {
        const result = operation()
        this.#history.push(result ?? null)
        resolve(result)
      }
      this.#parked()
    })
  }

  /** What comes next depends on these alone: earlier answers would only tell equal states apart. */
  #keep(...all: readonly unknown[]): void {
    this.#history = [...all]
  }

  key(): string {
    const mortal = Number.isFinite(this.#diesAfter) ? this.#done : 0
    return JSON.stringify([this.ended, mortal, this.ended ? [] : this.#history])
  }

  get judge(): Judge {
    return (lock) => (lock.released || (lock.holder && this.#isGone(lock.holder.pid)) ? 'gone' : 'silent')
  }

  get ground(): Ground {
    const { names } = this.#disk
    const remove = (name: string): Promise<void> => this.#step(() => void names.delete(name))
    return {
      epochs: () => this.#step(() => ({ locks: this.#disk.epochs('lock'), logs: this.#disk.epochs('log') })),
      openLock: (epoch) => this.#step(() => seen(epoch, names.get(`lock ${epoch}`))),
      createLock: (epoch, holder, state) => this.#step(() => this.#create(epoch, holder, state)),
      lockIdentity: (epoch) => this.#step(() => names.get(`lock ${epoch}`)?.identity),
      removeLock: (epoch) => remove(`lock ${epoch}`),
      removeLog: (epoch) => remove(`log ${epoch}`),
      copyLog: (from, epoch) =>
        this.#step(() => {
          const log = names.get(`log ${from}`)
          if (log) names.set(`copy ${epoch}`, this.#make(log.lines))
          return log !== undefined
        }),
      publishCopy: (epoch) =>
        this.#step(() => {
          const copy = names.get(`copy ${epoch}`)
          if (!copy) throw new Error('published before it was copied')
          names.delete(`copy ${epoch}`)
          names.set(`log ${epoch}`, copy)
        }),
    }
  }

  #make(lines: readonly string[] = []): Node {
    return this.#disk.node(this.number, `${this.number}#${this.#made++}`, lines)
  }

  #create(epoch: number, holder: Holder, state: 'held' | 'released'): OwnLock | undefined {
    if (this.#disk.names.has(`lock ${epoch}`)) return undefined
    const node = { ...this.#make(), owner: holder.pid, released: state === 'released' }
    this.#disk.names.set(`lock ${epoch}`, node)
    return own(epoch, node)
  }

  /** Append lines to the log of an epoch, each acknowledged before the next; stop where one is not. */
  async write(
    lock: OwnLock,
    to: { readonly log: number; readonly lines: readonly string[]; readonly counts?: Acknowledge },
  ): Promise<boolean> {
    const { log, lines, counts = acknowledged } = to
    const node = await this.#step(() => this.#disk.names.get(`log ${log}`))
    if (!node) return false
    for (const line of lines) {
      const position = node.lines.length
      this.#keep('write', lock.identity, node.identity, position, line)
      const ours = await counts(this.ground, lock, () => this.#step(() => void node.lines.push(line)))
      if (!ours) return false
      this.#disk.acknowledged.push({ by: this.number, position, line })
    }
    return true
  }

  release(lock: OwnLock): Promise<void> {
    return this.#step(() => lock.markReleased())
  }

  /** Take the session as `acquire` does, then write. */
  async take(lines: readonly string[], counts: Acknowledge = acknowledged): Promise<void> {
    const holder = { host: 'model', pid: this.number, started: '' }
    const claim = await claimNext(this.ground, holder, this.judge)
    if (claim.kind !== 'claimed') return
    this.#keep('inherit', claim.lock.epoch)
    const log = await inherit(this.ground, claim.lock, this.judge)
    if (log === undefined || !(await stillHighest(this.ground, claim.lock))) return
    this.#keep('clean', claim.lock.epoch, log)
    await clean(this.ground, claim.lock, log)
    this.#keep('open', claim.lock.epoch, log)
    await this.write(claim.lock, { log, lines, counts })
  }

  /** The lock and the log of epoch 1, as `create` leaves them, with one line in it. */
  created(): OwnLock {
    const lock = this.#make()
    this.#disk.names.set('lock 1', lock)
    this.#disk.names.set('log 1', this.#make(['start']))
    return own(1, lock)
  }
}

function own(epoch: number, node: Node): OwnLock {
  return {
    epoch,
    identity: node.identity,
    renew() {},
    markReleased() {
      node.released = true
    },
    close() {},
  }
}

function seen(epoch: number, node: Node | undefined): SeenLock | undefined {
  if (!node) return undefined
  const holder = { host: 'model', pid: node.owner, started: '' }
  return { epoch, identity: node.identity, holder, released: node.released, changed: 0, close() {} }
}
