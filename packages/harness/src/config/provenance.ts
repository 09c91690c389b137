import type { Json } from '@rein/session'
import { at, effective } from './merge.ts'
import { dotted, type Place, placeText, plain, type Traced, type TracedMap } from './traced.ts'

/** One effective value and where it was written. */
export interface Row {
  /** Dotted, as `explain` takes it. */
  readonly key: string
  readonly value: Json
  readonly place: Place
}

/** Every effective value, in the order of the tree. Empty maps are values too: somebody wrote them. */
export function rows(root: TracedMap): readonly Row[] {
  const found: Row[] = []
  const walk = (node: Traced, path: readonly string[]): void => {
    if (node.kind === 'map' && (node.entries.size > 0 || path.length === 0)) {
      for (const [key, child] of node.entries) walk(child, [...path, key])
    } else found.push({ key: dotted(path), value: plain(node), place: node.place })
  }
  walk(effective(root), [])
  return found
}

/** `permissions.mode: read-only  (/home/me/.rein/rein.yaml:3:3)`: one line a value, YAML before the place. */
export const rowText = ({ key, value, place }: Row): string => `${key}: ${valueText(value)}  (${placeText(place)})`

const valueText = (value: Json): string =>
  typeof value === 'string' && /^[\w./:@+~-]+$/.test(value) ? value : JSON.stringify(value)

/** What one layer says about a key. `null` is a removal. */
export interface Said {
  readonly place: Place
  readonly value: Json
  /** True for what counts: the strongest, or for a map every layer that adds to it. */
  readonly counts: boolean
}

/**
 * Who says what about a key, the strongest first; empty when nobody does.
 * @param layers in rising order. @param key dotted, or the name of a map for everything in it.
 */
export function explain(layers: readonly TracedMap[], key: string): readonly Said[] {
  const path = splitKey(key)
  const said: Said[] = []
  let open = true
  for (const layer of [...layers].reverse()) {
    const node = nodeOrRemoval(layer, path)
    if (!node) continue
    said.push({ place: node.place, value: plain(node), counts: open })
    open &&= node.kind === 'map' && !node.replaces
  }
  return said
}

/** What a layer says about `path`: also when it replaces or removes something the path leads through. */
function nodeOrRemoval(layer: TracedMap, path: readonly string[]): Traced | undefined {
  for (let length = 1; length < path.length; length++) {
    const above = at(layer, path.slice(0, length))
    if (above?.kind === 'leaf') return above
  }
  return at(layer, path)
}

/** The parts of a dotted key; a quoted part may hold dots. */
export const splitKey = (key: string): readonly string[] =>
  [...key.matchAll(/"((?:[^"\\]|\\.)*)"|([^."]+)/g)].map(
    ([, quoted, bare]) => bare ?? (quoted ?? '').replaceAll(/\\(.)/g, '$1'),
  )
