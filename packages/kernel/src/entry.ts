import { Holds } from './generation.ts'
import type { Scope } from './scope.ts'

/** A value that stays usable until it is disposed of, even when it is swapped meanwhile. Disposing twice is harmless. */
export interface Lease<T> extends Disposable {
  readonly value: T
}

/** One value that one row registered somewhere: the only kind of registration there is. */
export class Entry<V> {
  readonly scope: Scope
  readonly value: V
  /** Names it in messages, and tells which of the old entries a replacement's entry takes the place of. */
  readonly label: string
  /** Its row is about to take it away: nobody may start relying on it. */
  withdrawn = false
  readonly #holds = new Holds()

  /**
   * Enters the undo into the scope: hide, then wait until nobody uses the value any more.
   * @param hide takes the entry out of wherever it is looked up.
   * @throws Error when the scope has closed.
   */
  constructor(scope: Scope, value: V, { label, hide }: { label: string; hide: (entry: Entry<V>) => void }) {
    this.scope = scope
    this.value = value
    this.label = label
    scope.defer(() => {
      hide(this)
      return this.#holds.idle()
    }, label)
  }

  get live(): boolean {
    return this.scope.generation.phase === 'live'
  }

  lease(): Lease<V> {
    const held = [this.#holds, this.scope.generation.holds]
    for (const holds of held) holds.take()
    return {
      value: this.value,
      [Symbol.dispose]: () => {
        for (const holds of held.splice(0)) holds.drop()
      },
    }
  }
}
