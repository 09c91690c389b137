import type { Problem } from './diagnosis.ts'
import { late, within } from './limit.ts'

export interface ScopeOptions {
  /** How long one undo may take, in milliseconds; the default is 10,000. */
  readonly undoTimeoutMs?: number
  /** Told about undos that threw or ran out of time. Without it `close` rejects with them. */
  readonly onProblem?: (problem: Problem) => void
  /** The run it belongs to; without one the scope is live at once. */
  readonly generation?: Generation
}

interface Undo {
  readonly label: string
  readonly run: () => unknown
  readonly limitMs: number
}

/** What all scopes of one run of a row share, so that swapping a whole row is two assignments. */
export class Generation {
  /** Only what a live run registered is consulted. A retired one has been replaced; work on it goes on. */
  phase: 'staged' | 'live' | 'retired'
  /** Identity of the row, the same for a run and its replacement. */
  readonly row: object
  /** What it has registered and not undone. */
  readonly entries = new Set<{ idle(): Promise<void> }>()

  constructor(phase: Generation['phase'], row: object = {}) {
    this.phase = phase
    this.row = row
  }

  /** Resolves when nothing that was registered is in use. */
  async idle(): Promise<void> {
    await Promise.all([...this.entries].map((entry) => entry.idle()))
  }
}

/** A lifetime. Everything entered into it is undone, newest first, each awaited before the next, when it closes. */
export class Scope implements AsyncDisposable {
  /** Id of the row this lifetime belongs to. */
  readonly owner: string
  readonly generation: Generation
  /** Aborted the moment closing begins, before anything is undone; its reason is what `close` was given. */
  readonly signal: AbortSignal
  readonly #abort = new AbortController()
  readonly #undos = new Set<Undo>()
  readonly #options: ScopeOptions
  #closing: Promise<void> | undefined

  constructor(owner: string, options: ScopeOptions = {}) {
    this.owner = owner
    this.signal = this.#abort.signal
    this.generation = options.generation ?? new Generation('live')
    this.#options = options
  }

  /** Whether what it registers is consulted: not while it is being set up, was replaced, or is closing. */
  get live(): boolean {
    return this.generation.phase === 'live' && !this.signal.aborted
  }

  /** Dispose of `resource` when this lifetime ends. Throws as `defer` does. */
  use<T extends Disposable | AsyncDisposable>(resource: T, label?: string): T {
    this.defer(
      () => (Symbol.asyncDispose in resource ? resource[Symbol.asyncDispose]() : resource[Symbol.dispose]()),
      label,
    )
    return resource
  }

  /**
   * @param label names this undo when it throws or hangs.
   * @throws Error once closing has begun: nothing may be entered into an ending lifetime.
   */
  defer(undo: () => void | PromiseLike<void>, label = `undo #${this.#undos.size + 1}`): void {
    this.#enter({ label, run: undo, limitMs: this.#options.undoTimeoutMs ?? 10_000 })
  }

  /** A lifetime inside this one: it may end earlier, never later. It stops when this one stops. */
  child(label = 'inner scope'): Scope {
    const inner = new Scope(this.owner, { ...this.#options, generation: this.generation })
    // No limit on the whole: each undo inside has its own, and its own label.
    const undo = { label, run: () => inner.close(this.signal.reason), limitMs: Number.POSITIVE_INFINITY }
    this.#enter(undo)
    const stop = () => inner.#abort.abort(this.signal.reason)
    this.signal.addEventListener('abort', stop, { once: true, signal: inner.signal })
    inner.defer(() => void this.#undos.delete(undo), label)
    return inner
  }

  /** Idempotent. Resolves when every undo has finished, thrown or run out of time; none keeps another from running. */
  close(reason: unknown = 'closed'): Promise<void> {
    if (!this.#closing) {
      this.#closing = Promise.resolve().then(() => this.#undoAll())
      this.#abort.abort(reason)
    }
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #enter(undo: Undo): void {
    if (this.signal.aborted) throw new Error(`row "${this.owner}": "${undo.label}" was entered into a closed scope`)
    this.#undos.add(undo)
  }

  async #undoAll(): Promise<void> {
    const unreported: Error[] = []
    for (const undo of [...this.#undos].reverse()) {
      const problem = await this.#attempt(undo)
      if (!problem) continue
      if (this.#options.onProblem) this.#options.onProblem(problem)
      else unreported.push(new Error(problem.message, { cause: problem }))
    }
    this.#undos.clear()
    if (unreported.length > 0) throw new AggregateError(unreported, `row "${this.owner}" was not undone cleanly`)
  }

  async #attempt({ label, run, limitMs }: Undo): Promise<Problem | undefined> {
    const row = this.owner
    try {
      if ((await within(limitMs, run)) !== late) return undefined
      const message = `row "${row}": undoing "${label}" took longer than ${limitMs} ms and was left behind`
      return { kind: 'undo-timeout', row, label, message }
    } catch (error) {
      return { kind: 'undo-failed', row, label, error, message: `row "${row}": undoing "${label}" failed: ${error}` }
    }
  }
}
