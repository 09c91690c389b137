import type { Json } from '@rein/session'
import { isWider } from '../sandbox/modes.ts'
import { at, mergeAll } from './merge.ts'
import { settledFrom } from './settings.ts'
import { dotted, type Place, placeText, plain, type Traced, type TracedMap } from './traced.ts'

/** One thing in a project's settings that takes effect only after the user's consent. */
export interface ConsentItem {
  /** What has to be taken out when there is no consent. */
  readonly path: readonly string[]
  /** One line a person decides on. */
  readonly what: string
  readonly place: Place
}

/** A project's file whose content the user has not agreed to. */
export interface Unconsented {
  readonly file: string
  /** Of the first item, from 1. */
  readonly line: number
  /** What consent is recorded for: the content of the file and of the local plugins it names. */
  readonly hash: string
  /** What consent would allow, one line each. */
  readonly items: readonly string[]
}

export interface ConsentRules {
  /** Built-in and user layers, merged: what the user has without the project. */
  readonly own: TracedMap
  /**
   * Whether a row may be configured or turned off by a project without asking. Rows that refuse, confine or hide
   * something may not.
   */
  readonly harmlessRow: (id: string) => boolean
}

/** Everything in one project layer that needs consent; empty when the layer only narrows or decorates. */
export function consentItems(layer: TracedMap, { own, harmlessRow }: ConsentRules): readonly ConsentItem[] {
  return [
    ...providerItems(layer),
    ...pluginItems(layer, harmlessRow),
    ...permissionItems(layer, own),
    ...keepItems(layer, own),
  ]
}

/** Providers decide where everything the model sees is sent, and whose key is sent with it: all of it needs consent. */
function providerItems(layer: TracedMap): readonly ConsentItem[] {
  return entriesAt(layer, 'providers', 'removes every provider').map(({ path, node, what }) => {
    const address = textAt(node, 'baseUrl')
    const key = at(node, ['key'])
    const parts = [
      address === undefined ? [] : [`sends requests to ${address}`],
      key === undefined ? [] : [keyText(plain(key))],
    ].flat()
    return { path, place: node.place, what: what ?? `${dotted(path)}: ${parts.join(' ') || 'changes this provider'}` }
  })
}

function keyText(key: Json): string {
  if (key === 'none') return 'without a key'
  const [[kind, where] = []] = typeof key === 'object' && key !== null ? Object.entries(key) : []
  if (typeof where !== 'string') return `with the key ${JSON.stringify(key)}`
  return `with the key in the ${kind === 'env' ? 'variable' : 'file'} ${where}`
}

function pluginItems(layer: TracedMap, harmlessRow: (id: string) => boolean): readonly ConsentItem[] {
  return entriesAt(layer, 'plugins', 'removes every change of the plugin rows').flatMap(({ path, node, what }) => {
    const use = textAt(node, 'use')
    if (what === undefined && use === undefined && harmlessRow(path[1] ?? '')) return []
    const says = use === undefined ? 'changes or turns off this plugin' : `runs ${use} with all rights of this program`
    return [{ path, place: node.place, what: what ?? `${dotted(path)}: ${says}` }]
  })
}

function permissionItems(layer: TracedMap, own: TracedMap): readonly ConsentItem[] {
  const before = settledFrom(own).settings.permissions
  const after = settledFrom(mergeAll([own, layer])).settings.permissions
  const items: ConsentItem[] = []
  const add = (path: readonly string[], what: string): void => {
    const node = writtenAt(layer, path)
    if (node) items.push({ path: node.path, what, place: node.node.place })
  }
  if (isWider(after.mode, before.mode)) {
    add(['permissions', 'mode'], `permissions.mode: ${after.mode} instead of ${before.mode}`)
  }
  if (after.env.inherit && !before.env.inherit) {
    add(['permissions', 'env', 'inherit'], 'permissions.env.inherit: commands get the whole environment')
  }
  const more = after.env.keep.filter((name) => !before.env.keep.includes(name))
  if (more.length > 0) add(['permissions', 'env', 'keep'], `permissions.env.keep: commands get ${more.join(', ')}`)
  return items
}

/** What a project says of keeping sessions holds for those of every project: fewer days than the user's need consent. */
function keepItems(layer: TracedMap, own: TracedMap): readonly ConsentItem[] {
  const before = settledFrom(own).settings.sessions?.keepDays ?? Number.POSITIVE_INFINITY
  const after = settledFrom(mergeAll([own, layer])).settings.sessions?.keepDays ?? Number.POSITIVE_INFINITY
  const written = after < before ? writtenAt(layer, ['sessions', 'keep', 'days']) : undefined
  if (!written) return []
  const what = `sessions.keep.days: sessions of every project go to the trash after ${after} days without a change`
  return [{ path: written.path, what, place: written.node.place }]
}

/** The entries of a top-level map; when the layer removes the whole map, that one removal, with `removal` as `what`. */
function entriesAt(
  layer: TracedMap,
  key: string,
  removal: string,
): readonly { readonly path: readonly string[]; readonly node: Traced; readonly what: string | undefined }[] {
  const node = layer.entries.get(key)
  if (node === undefined) return []
  if (node.kind === 'leaf') return [{ path: [key], node, what: `${key}: ${removal}` }]
  return [...node.entries].map(([name, entry]) => ({
    path: [key, name],
    node: entry,
    what: entry.kind === 'leaf' ? `${dotted([key, name])}: removed` : undefined,
  }))
}

/** What the layer wrote at `path`, or the removal above it. */
function writtenAt(
  layer: TracedMap,
  path: readonly string[],
): { readonly path: readonly string[]; readonly node: Traced } | undefined {
  for (let length = 1; length <= path.length; length++) {
    const above = path.slice(0, length)
    const node = at(layer, above)
    if (node?.kind === 'leaf') return { path: above, node }
  }
  return undefined
}

const textAt = (node: Traced, key: string): string | undefined => {
  const found = at(node, [key])
  return found?.kind === 'leaf' && typeof found.value === 'string' ? found.value : undefined
}

/** The message of `CONSENT_MISSING`: file, line and hash of every file, and what it asks for. */
export function consentText(wanted: readonly Unconsented[]): string {
  return wanted
    .map(({ file, line, hash, items }) => {
      const place = placeText({ layer: 'project', file, line })
      return [`${place}: needs your consent, ${hash}`, ...items.map((item) => `  ${item}`)].join('\n')
    })
    .join('\n')
}
