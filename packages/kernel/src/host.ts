import { explainWaiting, type Problem, type RowInfo } from './diagnosis.ts'
import type { Plugin, RowSpec } from './plugin.ts'
import { Registry } from './registry.ts'
import { type Row, Rows } from './rows.ts'
import { type Seam, type Service, type Slot, slotOf } from './service.ts'

export interface HostOptions {
  /** How long one undo may take, in milliseconds; the default is 10,000. What takes longer is reported and left behind. */
  readonly undoTimeoutMs?: number
  /** The host around this one: its services are seen here, and it closes this one when it closes. */
  readonly parent?: Host
  readonly name?: string
  /** Told about failures nobody awaits: of undos, and of rows that start later than their `mount`. Must not throw. */
  readonly onProblem?: (problem: Problem) => void
}

/** How many failures of undos `diagnose` remembers. */
const KEPT = 100

/**
 * Runs plugins. A row runs exactly while all its needs are provided, so the order of mounting means nothing.
 * `mount`, `unmount` and `replace` happen one after the other, in the order of the calls.
 */
export class Host implements AsyncDisposable {
  readonly name: string
  readonly #options: HostOptions
  readonly #services: Registry<unknown>
  readonly #rows: Rows
  readonly #children = new Set<Host>()
  /** Newest last. */
  readonly #troubles: Problem[] = []
  #queue: Promise<unknown> = Promise.resolve()
  #closing: Promise<void> | undefined

  constructor(options: HostOptions = {}) {
    const { parent, name = 'host' } = options
    this.name = name
    this.#options = options
    this.#services = new Registry('service', parent ? parent.#services : undefined)
    this.#rows = new Rows({
      services: this.#services,
      scope: { ...options, onProblem: (problem) => this.#note(problem) },
      settleInside: () => this.#settleChildren(),
      settleSoon: () => void this.#settle(),
    })
    if (parent) parent.#adopt(this)
  }

  /**
   * Resolves when the row runs, or waits for needs.
   * @throws Error when the id is taken; what `config` or `setup` threw. The row is gone again then, all of it undone.
   */
  mount(id: string, plugin: Plugin, config?: unknown): Promise<void> {
    return this.mountAll([{ id, plugin, config }])
  }

  /**
   * Mount rows in any order.
   * @throws Error when an id is taken or a `config` throws: nothing is mounted then. When a `setup` throws, its row is
   * gone again and the others stay; the error is what it threw, or an AggregateError of several.
   */
  mountAll(specs: readonly RowSpec[]): Promise<void> {
    return this.#operation(async () => {
      const { all } = this.#rows
      const added: Row[] = []
      for (const { id, plugin, config } of specs) {
        if ([...all, ...added].some(({ spec }) => spec.id === id)) throw new Error(`row "${id}" is already mounted`)
        added.push({ spec: { id, plugin, config: plugin.config?.(config) }, run: undefined, failure: undefined })
      }
      all.push(...added)
      await this.#rows.settle(added)
      const failures = added.flatMap(({ failure }) => failure ?? [])
      for (const row of added) if (row.failure) all.splice(all.indexOf(row), 1)
      if (failures.length > 1) throw new AggregateError(failures, 'several rows did not start')
      for (const { error } of failures) throw error
    })
  }

  /** Stop and forget a row, its dependents first; they wait for another provider. Unknown ids are ignored. */
  unmount(id: string): Promise<void> {
    return this.#operation(async () => {
      const { all } = this.#rows
      const row = all.find(({ spec }) => spec.id === id)
      if (!row) return
      await this.#rows.stop(row.run && [row.run])
      all.splice(all.indexOf(row), 1)
      await this.#rows.settle()
    })
  }

  /**
   * Swap what runs under an id. The new run is set up beside the old one, takes over in one step, and the old one is
   * undone when its last lease ends. Dependents on its seams stay up; those on its services restart.
   *
   * Resolves when the old run has been undone. New work uses the new run long before that, and other operations go
   * on meanwhile; a lease holder must therefore not await it. Leases are waited for without limit until the host closes,
   * or something the old run needs goes away; from then on the undo time limit applies.
   * @throws Error when no such row is mounted, a need of the new plugin is not provided, or it closes a cycle; what
   * `config` or `setup` threw. The old run has not stopped serving for a moment then.
   */
  async replace(id: string, plugin: Plugin, config?: unknown): Promise<void> {
    const old = await this.#operation(async () => {
      const row = this.#rows.all.find(({ spec }) => spec.id === id)
      if (!row) throw new Error(`row "${id}" is not mounted`)
      const { run } = row
      await this.#rows.replace(row, { id, plugin, config: plugin.config?.(config) })
      await this.#rows.settle()
      return run
    })
    await old?.undone
  }

  /** Undefined when no running row, here or in a host around this one, provides it. */
  get<T>(token: Service<T>): T | undefined {
    return this.#services.get(token.name) as T | undefined
  }

  slot<T>(token: Seam<T>): Slot<T> {
    return slotOf(token, (name) => this.#services.find(name))
  }

  /** A host inside this one, with the same options. It may shadow this one's services, and never sees its siblings'. */
  child(name: string): Host {
    return new Host({ ...this.#options, parent: this, name })
  }

  rows(): RowInfo[] {
    return this.#rows.all.map((row) => this.#rows.info(row))
  }

  /** What keeps rows from running now, and the latest failures of undos. */
  diagnose(): Problem[] {
    const failures = this.#rows.all.flatMap(({ failure }) => failure ?? [])
    return [...explainWaiting(this.rows()), ...failures, ...this.#troubles]
  }

  /**
   * Close the hosts inside, then all rows, dependents first, and what was replaced and is still in use.
   * Undos and leases that take longer than the undo time limit are reported and left behind; a `setup` under way is
   * waited for.
   */
  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#serially(async () => {
      await Promise.all([...this.#children].map((child) => child[Symbol.asyncDispose]()))
      await this.#rows.stop(this.#rows.runs)
      this.#rows.all.length = 0
      const { parent } = this.#options
      if (parent) parent.#children.delete(this)
    })
    return this.#closing
  }

  #adopt(child: Host): void {
    if (this.#closing) throw new Error(`host "${this.name}" has closed`)
    this.#children.add(child)
  }

  #note(problem: Problem): void {
    if (problem.kind !== 'failed') this.#troubles.push(problem)
    if (this.#troubles.length > KEPT) this.#troubles.shift()
    this.#options.onProblem?.(problem)
  }

  async #operation<R>(job: () => Promise<R>): Promise<R> {
    if (this.#closing) throw new Error(`host "${this.name}" has closed`)
    try {
      return await this.#serially(job)
    } finally {
      // Outside the queue: rows inside may take long to start, and need not hold up this host.
      await this.#settleChildren()
    }
  }

  /** A closing host has settled when it has closed. Never rejects. */
  #settle(): Promise<void> {
    return this.#closing ?? this.#serially(() => this.#rows.settle()).then(() => this.#settleChildren())
  }

  async #settleChildren(): Promise<void> {
    await Promise.all([...this.#children].map((child) => child.#settle()))
  }

  #serially<R>(job: () => Promise<R>): Promise<R> {
    const done = this.#queue.then(job)
    this.#queue = done.catch(() => undefined)
    return done
  }
}
