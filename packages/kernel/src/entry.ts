import type { Scope } from './scope.ts'

/** A value that stays usable until it is disposed of, even when it is swapped meanwhile. Disposing twice is harmless. */
export interface Lease<T> extends Disposable {
  readonly value: T
}

/** One value that one row registered somewhere: the only kind of registration there is. */
export class Entry<V> {
  readonly scope: Scope
  readonly value: V
  /** Names it in messages, and tells which entries of a row a replacement's entry takes the place of. */
  readonly label: string
  /** Its row is about to take it away: nobody may start relying on it. */
  withdrawn = false
  #leases = 0
  readonly #waiting: (() => void)[] = []

  /**
   * Enters the undo into the scope: hide, then wait until nobody uses the value any more.
   * @param hide takes the entry out of wherever it is looked up.
   * @throws Error when the scope has closed.
   */
  constructor(scope: Scope, value: V, { label, hide }: { label: string; hide: (entry: Entry<V>) => void }) {
    this.scope = scope
    this.value = value
    this.label = label
    const { entries } = scope.generation
    scope.defer(() => {
      hide(this)
      entries.delete(this)
      return this.idle()
    }, label)
    entries.add(this)
  }

  get live(): boolean {
    return this.scope.generation.phase === 'live'
  }

  lease(): Lease<V> {
    let isHeld = true
    this.#leases++
    const drop = () => {
      if (!isHeld) return
      isHeld = false
      if (--this.#leases === 0) for (const wake of this.#waiting.splice(0)) wake()
    }
    return { value: this.value, [Symbol.dispose]: drop }
  }

  /** Resolves as soon as there is no lease. */
  async idle(): Promise<void> {
    if (this.#leases > 0) await new Promise<void>((wake) => this.#waiting.push(wake))
  }
}
