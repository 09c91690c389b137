import { Entry } from './entry.ts'
import { late, within } from './limit.ts'
import type { Scope } from './scope.ts'

/** What is registered at one hook, in order of registration; a replacement takes the places of what it replaces. */
class Places<V> {
  /** Never changed in place, so it can be walked while entries come and go. */
  #entries: readonly Entry<V>[] = []

  add(scope: Scope, label: string, value: V): void {
    const hide = (gone: Entry<V>) => {
      this.#entries = this.#entries.filter((entry) => entry !== gone)
    }
    const entry = new Entry(scope, value, { label, hide })
    const { replaces } = scope.generation
    const isPlace = (old: Entry<V>) => old.scope.generation.row === replaces?.row && old.label === label
    const at = this.#entries.findLastIndex(isPlace) + 1
    this.#entries = at === 0 ? [...this.#entries, entry] : this.#entries.toSpliced(at, 0, entry)
  }

  live(): readonly Entry<V>[] {
    return this.#entries.every((entry) => entry.live) ? this.#entries : this.#entries.filter((entry) => entry.live)
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
  async ask(input: I): Promise<Refusal | undefined> {
    const leases = this.#guards.live().map((entry) => entry.lease())
    try {
      for (const { value } of leases) {
        const reason = await this.#reason(value.name, async () => value.check(input))
        if (reason !== undefined) return { by: value.name, reason }
      }
      return undefined
    } finally {
      for (const lease of leases) lease[Symbol.dispose]()
    }
  }

  async #reason(name: string, check: () => Promise<string | undefined>): Promise<string | undefined> {
    try {
      const reason = await within(this.#timeoutMs, check())
      return reason === late ? `the guard "${name}" did not answer within ${this.#timeoutMs} ms` : reason
    } catch (error) {
      return `the guard "${name}" failed: ${error}`
    }
  }
}

export type Next<I, O> = (input: I) => Promise<O>
type Wrapper<I, O> = (input: I, next: Next<I, O>) => Promise<O>

/** Wrap work, first registered outermost. A wrapper may change input and result, and may leave out the call of `next`. */
export class Around<I, O> {
  readonly #wrappers = new Places<{ readonly name: string; readonly wrapper: Wrapper<I, O> }>()

  /** @param wrapper may call `next` once and before it settles; any other call of `next` rejects. */
  wrap(scope: Scope, name: string, wrapper: Wrapper<I, O>): void {
    this.#wrappers.add(scope, `wrapper "${name}"`, { name, wrapper })
  }

  /** The wrappers present at the start are the ones that run, and are not undone before the run is over. */
  async run(input: I, work: Next<I, O>): Promise<O> {
    const entries = this.#wrappers.live()
    if (entries.length === 0) return work(input)
    const leases = entries.map((entry) => entry.lease())
    try {
      return await leases.reduceRight<Next<I, O>>(
        (next, { value }) =>
          (given) =>
            around(value, given, next),
        work,
      )(input)
    } finally {
      for (const lease of leases) lease[Symbol.dispose]()
    }
  }
}

async function around<I, O>(
  { name, wrapper }: { readonly name: string; readonly wrapper: Wrapper<I, O> },
  input: I,
  next: Next<I, O>,
): Promise<O> {
  let spent: string | undefined
  const once: Next<I, O> = async (given) => {
    if (spent) throw new Error(`the wrapper "${name}" called next() ${spent}`)
    spent = 'twice'
    return next(given)
  }
  try {
    return await wrapper(input, once)
  } finally {
    spent = 'after it had finished'
  }
}
