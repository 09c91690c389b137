import type { Json } from '@rein/session'

/** Where settings come from; a later one wins over an earlier one. */
export const layerNames = ['built-in', 'user', 'project', 'project-local', 'environment', 'flag'] as const

export type LayerName = (typeof layerNames)[number]

/** The place one value was written at. */
export interface Place {
  readonly layer: LayerName
  /** Absolute path of the file. */
  readonly file?: string
  /** Both count from 1; column in UTF-16 units. */
  readonly line?: number
  readonly column?: number
  /** The environment variable or the flag. */
  readonly name?: string
}

/** Settings in which every value knows its place. Lists are leaves: they replace and never merge. */
export type Traced = TracedLeaf | TracedMap

export interface TracedLeaf {
  readonly kind: 'leaf'
  /** `null` removes what earlier layers say. */
  readonly value: Json
  readonly place: Place
}

export interface TracedMap {
  readonly kind: 'map'
  readonly entries: ReadonlyMap<string, Traced>
  /** It stands over something that is no map: what earlier layers say here does not count. */
  readonly replaces: boolean
  readonly place: Place
}

export const leaf = (value: Json, place: Place): TracedLeaf => ({ kind: 'leaf', value, place })

export const map = (entries: ReadonlyMap<string, Traced>, place: Place): TracedMap => ({
  kind: 'map',
  entries,
  replaces: false,
  place,
})

/** Plain data, all of it from one place. */
export function traced(value: Json, place: Place): Traced {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return leaf(value, place)
  return map(new Map(Object.entries(value).map(([key, field]) => [key, traced(field, place)])), place)
}

/** Without places. Removals are kept as `null`. */
export function plain(node: Traced): Json {
  if (node.kind === 'leaf') return node.value
  return Object.fromEntries([...node.entries].map(([key, entry]): [string, Json] => [key, plain(entry)]))
}

/** `providers.deepseek.models."v3.1"`: a path as people write it, names that hold a dot in quotes. */
export const dotted = (path: readonly string[]): string =>
  path.map((part) => (/^[\w/:@+-]+$/.test(part) ? part : JSON.stringify(part))).join('.')

/** `/home/me/.rein/rein.yaml:3:5`, `REIN_MODEL`, `--model` or `built-in`. */
export function placeText({ layer, file, line, column, name }: Place): string {
  if (file !== undefined) return [file, line, column].filter((part) => part !== undefined).join(':')
  return name ?? layer
}
