import { Entry } from './entry.ts'
import { late, within } from './limit.ts'
import type { Scope } from './scope.ts'

/** What is registered at one hook, in order; a replacement takes the places of what it replaces. */
class Places<V> {
  /** Never changed in place, so it can be walked while entries come and go. */
  #entries: readonly Entry<V>[] = []

  /** At the end, but entries of one row and label stay together. */
  add(scope: Scope, label: string, value: V): void {
    const hide = (gone: Entry<V>) => {
      this.#entries = this.#entries.filter((entry) => entry !== gone)
    }
    const entry = new Entry(scope, value, { label, hide })
    const { row } = scope.generation
    const at = this.#entries.findLastIndex((other) => other.label === label && other.scope.generation.row === row)
    this.#entries = this.#entries.toSpliced(at < 0 ? this.#entries.length : at + 1, 0, entry)
  }

  live(): readonly Entry<V>[] {
    return this.#entries.every((entry) => entry.live) ? this.#entries : this.#entries.filter((entry) => entry.live)
  }

  /** Work with what is live now; none of it is undone before the work is over. */
  async hold<R>(work: (values: readonly V[]) => Promise<R>): Promise<R> {
    const leases = this.live().map((entry) => entry.lease())
    try {
      return await work(leases.map(({ value }) => value))
    } finally {
      for (const lease of leases) lease[Symbol.dispose]()
    }
  }
}

/** Tell everyone. A listener can neither stop the event nor hurt another listener: its error goes to `onError`. */
export class Observe<E> {
  readonly #listeners = new Places<(event: E) => unknown>()
  readonly #onError: (error: unknown) => void

  /** @param onError gets what listeners throw or reject with; without it the console does. Must not throw. */
  constructor(onError: (error: unknown) => void = (error) => console.error('a listener failed:', error)) {
    this.#onError = onError
  }

  on(scope: Scope, listener: (event: E) => void): void {
    this.#listeners.add(scope, 'listener', listener)
  }

  /** Calls every listener before it returns; what an async listener still does is not awaited. */
  emit(event: E): void {
    for (const { value: listener } of this.#listeners.live()) {
      try {
        const result = listener(event)
        if (result instanceof Promise) result.catch(this.#onError)
      } catch (error) {
        this.#onError(error)
      }
    }
  }
}

export interface Refusal {
  /** Name of the guard that refused. */
  readonly by: string
  readonly reason: string
}

type Check<I> = (input: I) => Refusal['reason'] | undefined | Promise<Refusal['reason'] | undefined>

/** Ask everyone who may say no. There is no way to say yes, so no guard can undo the refusal of another. */
export class Guard<I> {
  readonly #guards = new Places<{ readonly name: string; readonly check: Check<I> }>()
  readonly #timeoutMs: number

  /** @param options `timeoutMs`: how long one guard may take, in milliseconds; the default is 30,000. */
  constructor(options: { readonly timeoutMs?: number } = {}) {
    this.#timeoutMs = options.timeoutMs ?? 30_000
  }

  /** @param check gives the reason to refuse, or nothing. Throwing and running out of time refuse too. */
  guard(scope: Scope, name: string, check: Check<I>): void {
    this.#guards.add(scope, `guard "${name}"`, { name, check })
  }

  /** One guard after the other, first registered first; the first refusal stands. Never rejects. */
  ask(input: I): Promise<Refusal | undefined> {
    return this.#guards.hold(async (guards) => {
      for (const { name, check } of guards) {
        const reason = await this.#reason(name, () => check(input))
        if (reason !== undefined) return { by: name, reason }
      }
      return undefined
    })
  }

  async #reason(name: string, check: () => ReturnType<Check<I>>): Promise<string | undefined> {
    try {
      const reason = await within(this.#timeoutMs, check)
      return reason === late ? `the guard "${name}" did not answer within ${this.#timeoutMs} ms` : reason
    } catch (error) {
      return `the guard "${name}" failed: ${error}`
    }
  }
}

export type Next<I, O> = (input: I) => Promise<O>
interface Wrapper<I, O> {
  readonly name: string
  readonly wrap: (input: I, next: Next<I, O>) => Promise<O>
}

/** Wrap work, first registered outermost. A wrapper may change input and result, and may leave out the call of `next`. */
export class Around<I, O> {
  readonly #wrappers = new Places<Wrapper<I, O>>()

  /** @param wrapper may call `next` once and before it settles; any other call of `next` rejects. */
  wrap(scope: Scope, name: string, wrapper: (input: I, next: Next<I, O>) => Promise<O>): void {
    this.#wrappers.add(scope, `wrapper "${name}"`, { name, wrap: wrapper })
  }

  /** The wrappers present at the start are the ones that run, and are not undone before the run is over. */
  run(input: I, work: Next<I, O>): Promise<O> {
    const wrap = (next: Next<I, O>, wrapper: Wrapper<I, O>) => (given: I) => around(wrapper, given, next)
    return this.#wrappers.hold((wrappers) => wrappers.reduceRight(wrap, work)(input))
  }
}

async function around<I, O>({ name, wrap }: Wrapper<I, O>, input: I, next: Next<I, O>): Promise<O> {
  let spent: string | undefined
  const once: Next<I, O> = async (given) => {
    if (spent) throw new Error(`the wrapper "${name}" called next() ${spent}`)
    spent = 'twice'
    return next(given)
  }
  try {
    return await wrap(input, once)
  } finally {
    spent = 'after it had finished'
  }
}
