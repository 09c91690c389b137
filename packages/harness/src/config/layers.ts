import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { Json } from '@rein/session'
import { check } from './check.ts'
import { at, put } from './merge.ts'
import type { Problem } from './problem.ts'
import { splitKey } from './provenance.ts'
import { notYet, settingsShape } from './settings.ts'
import { leaf, map, type Place, type Traced, type TracedMap, traced } from './traced.ts'
import { environmentLayer } from './variables.ts'
import { readYaml } from './yaml-file.ts'

/** What a flag sets, such as `{ label: '--mode', settings: { permissions: { mode: 'read-only' } } }`. */
export interface FlagSettings {
  readonly label: string
  readonly settings: { readonly [key: string]: Json }
}

/** One checked layer: what was right in it, and what was wrong. */
export interface Layer {
  readonly root: TracedMap
  readonly problems: readonly Problem[]
  /** The bytes of the file; empty when there is none. */
  readonly bytes: Uint8Array
}

const noBytes = new Uint8Array()

/** Nothing is imported and nothing else happens when there is no such file. */
export async function fileLayer(file: string, name: 'user' | 'project' | 'project-local'): Promise<Layer> {
  const read = await readYaml(file, name)
  if (!read) return { root: map(new Map(), { layer: name, file }), problems: [], bytes: noBytes }
  const layer = checked(read.root, read.problems)
  return { ...layer, root: located(layer.root, dirname(file)), bytes: read.bytes }
}

export function variableLayer(env: Readonly<Record<string, string | undefined>>): Layer {
  const { layer, problems } = environmentLayer(env, settingsShape, notYet)
  return checked(layer, problems)
}

/** @param cwd what paths in the flag are relative to. */
export function flagLayer({ label, settings }: FlagSettings, cwd: string): Layer {
  const place: Place = { layer: 'flag', name: label }
  const entries = Object.entries(settings).map(([key, value]) => [key, traced(value, place)] as const)
  const layer = checked(map(new Map(entries), place), [])
  return { ...layer, root: located(layer.root, cwd) }
}

/** What is wrong with a dotted key that is asked about, with the nearest that is known; undefined for a known one. */
export function keyProblem(key: string): string | undefined {
  const place = { layer: 'flag' } as const
  const root = splitKey(key).reduceRight<Traced>(
    (inner, part) => map(new Map([[part, inner]]), place),
    leaf(null, place),
  )
  const [problem] = root.kind === 'map' ? check(root, { notYet, root: settingsShape }).problems : []
  return problem && `${problem.key}: ${problem.message}`
}

function checked(root: TracedMap, before: readonly Problem[]): Layer {
  const { value, problems } = check(root, { notYet, root: settingsShape })
  return { root: value, problems: [...before, ...problems], bytes: noBytes }
}

/** Paths are meant from where they are written, and made absolute so that they mean the same everywhere. */
function located(root: TracedMap, folder: string): TracedMap {
  const absolute = (path: string): string =>
    path.startsWith('~/') ? join(homedir(), path.slice(2)) : resolve(folder, path)
  let result = root
  for (const { path, value, place } of leavesAt(root, 'plugins', 'use')) {
    if (typeof value === 'string' && isPath(value)) result = put(result, path, leaf(absolute(value), place))
  }
  for (const { path, value, place } of leavesAt(root, 'providers', 'key')) {
    const file = fileIn(value)
    if (file !== undefined) result = put(result, path, leaf({ file: absolute(file) }, place))
  }
  return result
}

/** A plugin is a path when it looks like one; anything else is the name of a package. */
const isPath = (use: string): boolean => isAbsolute(use) || /^(?:\.\.?|~)\//.test(use)

function fileIn(value: Json): string | undefined {
  if (typeof value !== 'object' || value === null || !('file' in value)) return undefined
  return typeof value.file === 'string' ? value.file : undefined
}

/** The leaf `key` of every entry of the top-level map `section`. */
export function* leavesAt(
  root: TracedMap,
  section: string,
  key: string,
): Iterable<{ readonly path: readonly string[]; readonly value: Json; readonly place: Place }> {
  const entries = at(root, [section])
  if (entries?.kind !== 'map') return
  for (const name of entries.entries.keys()) {
    const path = [section, name, key]
    const node = at(root, path)
    if (node?.kind === 'leaf') yield { path, value: node.value, place: node.place }
  }
}
