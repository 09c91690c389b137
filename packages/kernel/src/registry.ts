import { Entry, type Lease } from './entry.ts'
import type { Scope } from './scope.ts'

/**
 * Values by key, each owned by a row. Looks into `parent` for keys it has not got; its own keys shadow the parent's.
 * There is no way to remove a value but to end the scope it was added through.
 */
export class Registry<V> {
  /** What one entry is called in messages, in the singular: `tool`. */
  readonly name: string
  readonly #parent: Registry<V> | undefined
  /** More than one entry at a key only around a swap; at most one of them is live. */
  readonly #places = new Map<string, Entry<V>[]>()

  constructor(name: string, parent?: Registry<V>) {
    this.name = name
    this.#parent = parent
  }

  /**
   * Add a value until `scope` ends; then it is hidden at once, and its undo waits for its leases. A replacement may add
   * the keys of the row it replaces and takes over their positions.
   * @throws Error when a row (this one or another) already holds the key, or when the scope has closed.
   */
  add(scope: Scope, key: string, value: V): void {
    this.enter(scope, key, value)
  }

  /** `add` for the host, which keeps the entry. */
  enter(scope: Scope, key: string, value: V): Entry<V> {
    const place = this.#places.get(key) ?? []
    const taken = place.find((entry) => blocks(entry, scope))?.scope.owner
    if (taken !== undefined)
      throw new Error(`row "${scope.owner}" cannot register ${this.name} "${key}": row "${taken}" already has`)
    const hide = (entry: Entry<V>) => {
      place.splice(place.indexOf(entry), 1)
      if (place.length === 0) this.#places.delete(key)
    }
    const entry = new Entry(scope, value, { label: `${this.name} "${key}"`, hide })
    place.push(entry)
    this.#places.set(key, place)
    return entry
  }

  get(key: string): V | undefined {
    return this.find(key)?.value
  }

  /** Keep using a value while it may be swapped. Undefined when nobody has registered the key. */
  lease(key: string): Lease<V> | undefined {
    return this.find(key)?.lease()
  }

  /** The parent's first; a shadowed key keeps the parent's position. */
  entries(): [string, V][] {
    const all = new Map(this.#parent?.entries())
    for (const [key, place] of this.#places) {
      const entry = place.find((candidate) => candidate.live)
      if (entry) all.set(key, entry.value)
    }
    return [...all]
  }

  /** What a lookup finds. A withdrawn entry only when there is no other; `except` skips what that row registered. */
  find(key: string, except?: object): Entry<V> | undefined {
    const own = this.#places.get(key)?.find((entry) => entry.live)
    if (!own || own.scope.generation.row === except) return this.#parent?.find(key, except)
    return own.withdrawn ? (this.#parent?.find(key, except) ?? own) : own
  }
}

/** A replacement stands beside what its own row registered before. */
const blocks = ({ scope: { generation } }: Entry<unknown>, newcomer: Scope): boolean =>
  generation.phase !== 'retired' && (generation === newcomer.generation || generation.row !== newcomer.generation.row)
