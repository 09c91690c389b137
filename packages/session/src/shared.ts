/**
 * Lists and maps for folds: a new version shares everything with the old one, so a step costs what it adds.
 * Only the newest version extends in place; extending an older one copies.
 */
export class SharedList<T> implements Iterable<T> {
  readonly #items: T[]
  readonly length: number

  private constructor(items: T[], length: number) {
    this.#items = items
    this.length = length
  }

  static of<T>(items: Iterable<T> = []): SharedList<T> {
    const copy = [...items]
    return new SharedList(copy, copy.length)
  }

  push(item: T): SharedList<T> {
    const items = this.length === this.#items.length ? this.#items : this.#items.slice(0, this.length)
    items.push(item)
    return new SharedList(items, items.length)
  }

  at(index: number): T | undefined {
    const from = index < 0 ? index + this.length : index
    return from >= 0 && from < this.length ? this.#items[from] : undefined
  }

  /** A copy of the items from `start` up to, not including, `end`; both count from the end when negative. */
  slice(start = 0, end = this.length): T[] {
    const place = (index: number) => (index < 0 ? Math.max(0, index + this.length) : Math.min(index, this.length))
    return this.#items.slice(place(start), place(end))
  }

  /** Whether this list is `earlier` with items added, told in constant time; false may also mean "not known". */
  extends(earlier: SharedList<T>): boolean {
    return this.#items === earlier.#items && this.length >= earlier.length
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let index = 0; index < this.length; index++) yield this.#items[index] as T
  }
}

interface Version<V> {
  readonly value: V | undefined
  readonly version: number
  readonly older: Version<V> | undefined
}

/**
 * A map whose older versions stay readable. `delete` hides a key from newer versions, and a key set again keeps its
 * place; setting what is there already gives the same map.
 */
export class SharedMap<K, V extends NonNullable<unknown> | null> {
  readonly #entries: Map<K, Version<V>>
  readonly #newest: { version: number }
  readonly #version: number

  private constructor(entries: Map<K, Version<V>>, newest: { version: number }, version: number) {
    this.#entries = entries
    this.#newest = newest
    this.#version = version
  }

  static empty<K, V extends NonNullable<unknown> | null>(): SharedMap<K, V> {
    return new SharedMap(new Map(), { version: 0 }, 0)
  }

  get(key: K): V | undefined {
    let entry = this.#entries.get(key)
    while (entry && entry.version > this.#version) entry = entry.older
    return entry?.value
  }

  has(key: K): boolean {
    return this.get(key) !== undefined
  }

  set(key: K, value: V): SharedMap<K, V> {
    return value === this.get(key) ? this : this.#put(key, value)
  }

  delete(key: K): SharedMap<K, V> {
    return this.has(key) ? this.#put(key, undefined) : this
  }

  *entries(): IterableIterator<[K, V]> {
    for (const key of this.#entries.keys()) {
      const value = this.get(key)
      if (value !== undefined) yield [key, value]
    }
  }

  #put(key: K, value: V | undefined): SharedMap<K, V> {
    if (this.#newest.version !== this.#version) return this.#copy().#put(key, value)
    const version = this.#version + 1
    this.#entries.set(key, { value, version, older: this.#entries.get(key) })
    this.#newest.version = version
    return new SharedMap(this.#entries, this.#newest, version)
  }

  #copy(): SharedMap<K, V> {
    const entries = new Map<K, Version<V>>()
    for (const [key, value] of this.entries()) entries.set(key, { value, version: 0, older: undefined })
    return new SharedMap(entries, { version: 0 }, 0)
  }
}
