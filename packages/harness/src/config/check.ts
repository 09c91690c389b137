import type { Json } from '@rein/session'
import { nearest } from './nearest.ts'
import type { Problem } from './problem.ts'
import type { Keys, Leaf, Shape } from './shape.ts'
import { dotted, leaf, plain, type Traced, type TracedMap } from './traced.ts'

export interface CheckRules {
  /** Dotted keys that are known and refused. */
  readonly notYet: ReadonlySet<string>
  /** The shape of the whole, for hints on keys that stand at the wrong level. */
  readonly root: Shape
}

export interface Checked {
  /** What was right; what was wrong is left out and nothing else is. */
  readonly value: TracedMap
  readonly problems: readonly Problem[]
}

/** Hold one layer against the shape. */
export function check(layer: TracedMap, rules: CheckRules): Checked {
  const problems: Problem[] = []
  const value = new Check(rules, problems).node(layer, rules.root, [])
  return { value: value?.kind === 'map' ? value : { ...layer, entries: new Map() }, problems }
}

class Check {
  readonly #rules: CheckRules
  readonly #problems: Problem[]

  constructor(rules: CheckRules, problems: Problem[]) {
    this.#rules = rules
    this.#problems = problems
  }

  node(node: Traced, shape: Shape, path: readonly string[]): Traced | undefined {
    const removes = node.kind === 'leaf' && node.value === null
    if (removes && path.length > 0) return node
    if (this.#rules.notYet.has(dotted(path))) return this.#refuse(node, path, 'not supported yet; remove it')
    if (shape.kind === 'leaf') return this.#leaf(node, shape, path)
    if (node.kind === 'leaf') return this.#refuse(node, path, `expected a map of keys, not ${kindOf(node.value)}`)
    if (shape.kind === 'open') return node
    const entries = new Map<string, Traced>()
    for (const [key, child] of node.entries) {
      const of = shape.kind === 'each' ? shape.of : Object.hasOwn(shape.keys, key) ? shape.keys[key] : undefined
      const kept = of ? this.node(child, of, [...path, key]) : this.#unknown(child, shape, [...path, key])
      if (kept) entries.set(key, kept)
    }
    return { ...node, entries }
  }

  #leaf(node: Traced, shape: Leaf<unknown>, path: readonly string[]): Traced | undefined {
    const value = plain(node)
    if (shape.accepts(value)) return leaf(value, node.place)
    return this.#refuse(node, path, `expected ${shape.expected}; this is ${kindOf(value)}`)
  }

  #unknown(node: Traced, shape: Shape, path: readonly string[]): undefined {
    const key = path.at(-1) ?? ''
    const known = shape.kind === 'section' ? Object.keys(shape.keys) : []
    const all = paths(this.#rules.root, [])
    const near = nearest(key, known)
    const moved = all.find((other) => other.at(-1) === key) ?? (near === undefined ? nearPath(key, all) : [near])
    const hint = moved ? `did you mean ${dotted(moved)}?` : `known here: ${known.join(', ')}`
    return this.#refuse(node, path, `unknown key; ${hint}`)
  }

  #refuse(node: Traced, path: readonly string[], message: string): undefined {
    this.#problems.push({ place: node.place, key: dotted(path), message })
    return undefined
  }
}

function nearPath(key: string, all: readonly (readonly string[])[]): readonly string[] | undefined {
  const near = nearest(
    key,
    all.map((path) => path.at(-1) ?? ''),
  )
  return near === undefined ? undefined : all.find((path) => path.at(-1) === near)
}

/** Every known key with the keys above it; a chosen name is `<name>`. */
function paths(shape: Shape, above: readonly string[]): readonly (readonly string[])[] {
  if (shape.kind === 'each') return paths(shape.of, [...above, '<name>'])
  if (shape.kind !== 'section') return []
  return keysOf(shape.keys).flatMap(([key, child]) => [[...above, key], ...paths(child, [...above, key])])
}

const keysOf = (keys: Keys): readonly (readonly [string, Shape])[] => Object.entries(keys)

/** Names the kind and not the value: a value at the wrong place may be a secret. */
function kindOf(value: Json): string {
  if (value === null) return 'empty'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a map'
  return typeof value === 'boolean'
    ? 'true or false'
    : `${typeof value === 'string' ? 'text' : 'a number'} that does not fit`
}
