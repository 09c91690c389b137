import { ignorable, onSurface } from './events/checks.ts'
import type { SurfaceOp } from './events/envelope.ts'
import type { DataOf, EventNamed, EventType, SessionEvent } from './events/index.ts'
import { type Failure, FailureError } from './failure.ts'
import { advance, type Fold, fold } from './fold.ts'
import { faultOfMove, surface as surfaceFold } from './folds/surface.ts'
import type { Ports } from './hasher.ts'
import { type Draft, encodeLine, faultOf, faultOfJson, freeze } from './line.ts'

/** Where lines go; a `Lease` is one. */
export interface LineSink {
  append(expectedSeq: number, lines: readonly string[]): Promise<void>
  sync(): Promise<void>
}

export interface AppendOptions {
  /** How a message enters the surface; default `append` for message events, absent for all others. */
  readonly surface?: SurfaceOp
  readonly sources?: readonly number[]
}

interface Waiter {
  readonly seq: number
  readonly synced: boolean
  resolve(): void
  reject(error: unknown): void
}

/**
 * The log of one session in the hands of its one writer. Appending is synchronous and is the only way in; lines are
 * written behind it, a group at a time. A failed write poisons the log: nothing can be appended after it.
 */
export class SessionLog {
  readonly #ports: Ports
  readonly #sink: LineSink
  readonly #events: SessionEvent[]
  readonly #states = new Map<Fold<unknown>, unknown>()
  readonly #listeners = new Set<(event: SessionEvent) => void>()
  readonly #lineListeners = new Set<(line: string, event: SessionEvent) => void>()
  #pending: string[] = []
  #waiters: Waiter[] = []
  #written: number
  #synced: number
  #flushing = false
  #poison: Failure | undefined

  /** @param events what the sink already holds, in order, durable. */
  constructor(options: { ports: Ports; sink: LineSink; events?: readonly SessionEvent[] }) {
    this.#ports = options.ports
    this.#sink = options.sink
    this.#events = [...(options.events ?? [])]
    this.#written = this.#events.length - 1
    this.#synced = this.#written
  }

  get events(): readonly SessionEvent[] {
    return this.#events
  }

  /** The hash of the last line; kept elsewhere it proves what the log held. */
  get head(): string {
    return this.#events.at(-1)?.hash ?? ''
  }

  /** Why nothing can be appended any more. */
  get poison(): Failure | undefined {
    return this.#poison
  }

  /**
   * Add one event. Validates, freezes and returns it; what is wrong with it is a bug in the caller and throws.
   * @throws FailureError with the cause when an earlier write failed.
   */
  append<T extends EventType>(type: T, data: DataOf<T>, options: AppendOptions = {}): EventNamed<T> {
    if (this.#poison) throw new FailureError(this.#poison)
    const seq = this.#events.length
    const time = this.#ports.now()
    const surface = options.surface ?? (onSurface.has(type) ? 'append' : undefined)
    const draft = { type, data, ...(surface && { surface }), ...(options.sources && { sources: options.sources }) }
    const problem = faultOf({ seq, time, ...draft }) ?? faultOfJson(data) ?? this.#faultOfMove(draft)
    if (problem !== undefined) throw new TypeError(`cannot append: ${problem}`)
    const { line, hash } = encodeLine({ seq, time, previous: this.head }, draft, this.#ports.hasher)
    const skippable = ignorable.has(type) && { ignorable: true }
    const event = freeze({ seq, time, ...draft, ...skippable, hash }) as unknown as EventNamed<T>
    this.#take(event, line)
    return event
  }

  /** The state of a fold, kept up to date from the first time it is asked for. */
  state<S>(of: Fold<S>): S {
    if (this.#states.has(of)) return this.#states.get(of) as S
    const state = fold(of, this.#events)
    this.#states.set(of, state)
    return state
  }

  /**
   * Resolves when the event survives the death of this process. Rejects with the write's failure, and with RangeError
   * when there is no such event yet: a bug in the caller.
   */
  written(seq = this.#events.length - 1): Promise<void> {
    return this.#wait(seq, false)
  }

  /** Resolves when the event survives the loss of power. Rejects with the write's failure. */
  synced(seq = this.#events.length - 1): Promise<void> {
    return this.#wait(seq, true)
  }

  /** Hear of every event once it is written, in order. */
  onWritten(listener: (event: SessionEvent) => void): Disposable {
    return entered(this.#listeners, listener)
  }

  /** Hear of every line as it is handed to the store. */
  onLine(listener: (line: string, event: SessionEvent) => void): Disposable {
    return entered(this.#lineListeners, listener)
  }

  /** A replace needs the surface as it stands; everything else does not, so that is where it is asked for. */
  #faultOfMove(draft: Draft): string | undefined {
    return typeof draft.surface === 'object' ? faultOfMove(this.state(surfaceFold), draft) : undefined
  }

  #take(event: SessionEvent, line: string): void {
    this.#events.push(event)
    const place = { event, events: this.#events }
    for (const [of, state] of this.#states) this.#states.set(of, advance(of, state, place))
    this.#pending.push(line)
    for (const listener of this.#lineListeners) listener(line, event)
    this.#schedule()
  }

  #wait(seq: number, synced: boolean): Promise<void> {
    if (this.#poison) return Promise.reject(new FailureError(this.#poison))
    if ((synced ? this.#synced : this.#written) >= seq) return Promise.resolve()
    if (seq >= this.#events.length) return Promise.reject(new RangeError(`there is no event ${seq} yet`))
    return new Promise((resolve, reject) => {
      this.#waiters.push({ seq, synced, resolve, reject })
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#flushing || this.#poison) return
    this.#flushing = true
    // Behind the running code, so that one run's appends are one write.
    queueMicrotask(() => void this.#flush())
  }

  async #flush(): Promise<void> {
    try {
      while (this.#pending.length > 0 || this.#waiters.some((waiter) => waiter.synced)) {
        await this.#writePending()
        const until = this.#written
        if (this.#waiters.some((waiter) => waiter.synced && waiter.seq <= until)) {
          await this.#sink.sync()
          this.#synced = until
        }
        this.#settle()
      }
    } catch (error) {
      this.#fail(error)
    } finally {
      this.#flushing = false
    }
  }

  async #writePending(): Promise<void> {
    const lines = this.#pending
    if (lines.length === 0) return
    this.#pending = []
    const first = this.#written + 1
    await this.#sink.append(first, lines)
    this.#written += lines.length
    this.#settle()
    for (let seq = first; seq <= this.#written; seq++) {
      const event = this.#events[seq]
      if (event) this.#tell(event)
    }
  }

  /** A listener that throws is a bug of its own; it must not look like a failed write. */
  #tell(event: SessionEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event)
      } catch (error) {
        throwLater(error)
      }
    }
  }

  #settle(): void {
    const done = (waiter: Waiter) => waiter.seq <= (waiter.synced ? this.#synced : this.#written)
    const ready = this.#waiters.filter(done)
    if (ready.length === 0) return
    this.#waiters = this.#waiters.filter((waiter) => !done(waiter))
    for (const waiter of ready) waiter.resolve()
  }

  /** Trouble a sink foresees is a failure. Anything else is its bug: it poisons the log as well, and stays a bug. */
  #fail(error: unknown): void {
    const foreseen = error instanceof FailureError
    const failure: Failure = foreseen
      ? error.failure
      : { code: 'LOG_WRITE', message: `the session log could not be written: ${String(error)}` }
    this.#poison = failure
    const waiters = this.#waiters
    this.#waiters = []
    for (const waiter of waiters) waiter.reject(new FailureError(failure, { cause: error }))
    if (!foreseen) throwLater(error)
  }
}

/** A bug of somebody else reaches the top of the program, and does not stop what goes on here. */
function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}

function entered<T>(list: Set<T>, item: T): Disposable {
  list.add(item)
  return { [Symbol.dispose]: () => void list.delete(item) }
}
