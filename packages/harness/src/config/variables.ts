import { put } from './merge.ts'
import { nearest } from './nearest.ts'
import type { Problem } from './problem.ts'
import type { Leaf, Shape } from './shape.ts'
import { dotted, leaf, map, type Place, type TracedMap } from './traced.ts'

/** Names of this program that are no settings. `REIN` and `REIN_CALL` are what it gives to the processes it starts. */
const others: ReadonlySet<string> = new Set(['REIN', 'REIN_HOME', 'REIN_API_KEY', 'REIN_CALL'])

interface Variable {
  readonly path: readonly string[]
  readonly shape: Leaf<unknown>
}

/**
 * The settings layer of the environment. `REIN_PERMISSIONS_MODE` is `permissions.mode`; an empty variable counts as
 * not set. Keys under chosen names (providers, plugins) have no variable. A `REIN_…` name that is not known is an
 * error when it begins like a setting or is a typing error away from one; any other belongs to somebody else.
 * The values are not checked here. @param notYet dotted keys no hint may name.
 */
export function environmentLayer(
  env: Readonly<Record<string, string | undefined>>,
  root: Shape,
  notYet: ReadonlySet<string>,
): { readonly layer: TracedMap; readonly problems: readonly Problem[] } {
  const known = variables(root, [])
  const usable = [...known].flatMap(([name, { path }]) => (refused(path, notYet) ? [] : [name]))
  const sections = root.kind === 'section' ? Object.keys(root.keys).map((key) => `REIN_${upper(key)}_`) : []
  const problems: Problem[] = []
  let layer: TracedMap = map(new Map(), { layer: 'environment' })
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith('REIN_') || value === undefined || value === '' || others.has(name)) continue
    const place: Place = { layer: 'environment', name }
    const variable = known.get(name)
    if (variable) layer = put(layer, variable.path, leaf(variable.shape.fromText?.(value) ?? value, place))
    else {
      const near = nearest(name, [...usable, ...others], () => 2)
      if (near === undefined && !sections.some((section) => name.startsWith(section))) continue
      const hint = near === undefined ? `known are ${usable.join(', ')}` : `did you mean ${near}?`
      problems.push({ place, key: '', message: `unknown setting; ${hint}` })
    }
  }
  return { layer, problems }
}

function variables(shape: Shape, path: readonly string[]): ReadonlyMap<string, Variable> {
  if (shape.kind === 'leaf' && shape.fromText) return new Map([[`REIN_${path.map(upper).join('_')}`, { path, shape }]])
  if (shape.kind !== 'section') return new Map()
  return new Map(Object.entries(shape.keys).flatMap(([key, child]) => [...variables(child, [...path, key])]))
}

const refused = (path: readonly string[], notYet: ReadonlySet<string>): boolean =>
  path.some((_, at) => notYet.has(dotted(path.slice(0, at + 1))))

const upper = (key: string): string => key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
