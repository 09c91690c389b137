import { map, type Traced, type TracedMap } from './traced.ts'

/**
 * Lay `high` over `low`: maps merge by key, everything else is replaced, `null` removes. Associative, so that layers
 * may be merged in any grouping; removals stay in the tree until `effective` takes them out.
 */
export function merge(low: Traced, high: Traced): Traced {
  if (high.kind === 'leaf' || high.replaces) return high
  if (low.kind === 'leaf') return { ...high, replaces: true }
  const entries = new Map(low.entries)
  for (const [key, value] of high.entries) {
    const below = entries.get(key)
    entries.set(key, below ? merge(below, value) : value)
  }
  return { ...high, entries, replaces: low.replaces }
}

/** Layers in rising order as one tree. */
export function mergeAll(layers: readonly TracedMap[]): TracedMap {
  const merged = layers.reduce<Traced>(merge, map(new Map(), { layer: 'built-in' }))
  return merged.kind === 'map' ? merged : map(new Map(), merged.place)
}

/** What counts in the end: without removals. */
export function effective(root: TracedMap): TracedMap {
  const entries = new Map<string, Traced>()
  for (const [key, value] of root.entries) {
    if (value.kind === 'map') entries.set(key, effective(value))
    else if (value.value !== null) entries.set(key, value)
  }
  return { ...root, entries }
}

/** What stands at `path`, removals included; undefined when nothing does. */
export function at(root: Traced, path: readonly string[]): Traced | undefined {
  let node: Traced | undefined = root
  for (const part of path) node = node?.kind === 'map' ? node.entries.get(part) : undefined
  return node
}

/** The same tree without what stands at `path`, as if nobody had written it. */
export function without(root: TracedMap, path: readonly string[]): TracedMap {
  const [first, ...rest] = path
  const entry = first === undefined ? undefined : root.entries.get(first)
  if (first === undefined || entry === undefined) return root
  const entries = new Map(root.entries)
  if (rest.length > 0 && entry.kind === 'map') entries.set(first, without(entry, rest))
  else if (rest.length === 0) entries.delete(first)
  return { ...root, entries }
}

/** The same tree with `value` at `path`. */
export function put(root: TracedMap, path: readonly string[], value: Traced): TracedMap {
  const [first, ...rest] = path
  if (first === undefined) return root
  const below = root.entries.get(first)
  const inner = below?.kind === 'map' ? below : map(new Map(), value.place)
  return { ...root, entries: new Map(root.entries).set(first, rest.length === 0 ? value : put(inner, rest, value)) }
}
