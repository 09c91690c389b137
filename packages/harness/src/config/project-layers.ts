import { join } from 'node:path'
import type { Result } from '@rein/session'
import { fine } from '../files/trouble.ts'
import { type ConsentItem, type ConsentRules, consentItems, type Unconsented } from './consent.ts'
import { type Consent, readConsents } from './consents.ts'
import { contentHash } from './content-hash.ts'
import { fileLayer, type Layer, leavesAt } from './layers.ts'
import { without } from './merge.ts'
import type { Problem } from './problem.ts'

export interface ProjectRules extends ConsentRules {
  readonly home: string
  /** Hashes agreed to for this run. */
  readonly trust: readonly string[]
}

export interface ProjectLayers {
  /** Project, then project-local; what nobody agreed to is left out. */
  readonly layers: readonly Layer[]
  readonly wanted: readonly Unconsented[]
}

/** Read what the project brings. Whatever a clone could use against its user counts only with consent. */
export async function projectLayers(project: string, rules: ProjectRules): Promise<ProjectLayers> {
  const layers: Layer[] = []
  const wanted: Unconsented[] = []
  for (const [name, layerName] of [['rein.yaml', 'project'] as const, ['rein.local.yaml', 'project-local'] as const]) {
    const file = join(project, '.rein', name)
    const layer = await fileLayer(file, layerName)
    const items = consentItems(layer.root, rules)
    const hash = items.length === 0 ? undefined : await unagreedHash(layer, project, rules)
    if (hash === undefined) layers.push(layer)
    else if (hash.ok) {
      layers.push(withheldFrom(layer, items))
      const lines = items.map(({ place }) => place.line ?? 1)
      wanted.push({ file, line: Math.min(...lines), hash: hash.value, items: items.map(({ what }) => what) })
    } else {
      const problem: Problem = { place: layer.root.place, key: '', message: hash.failure.message }
      layers.push(withheldFrom({ ...layer, problems: [...layer.problems, problem] }, items))
    }
  }
  return { layers, wanted }
}

const withheldFrom = (layer: Layer, items: readonly ConsentItem[]): Layer => ({
  ...layer,
  root: items.reduce((root, { path }) => without(root, path), layer.root),
})

/** @returns undefined when the user agreed to this content; fails when it, or what was agreed to, cannot be read. */
async function unagreedHash(layer: Layer, project: string, rules: ProjectRules): Promise<Result<string> | undefined> {
  const uses = [...leavesAt(layer.root, 'plugins', 'use')].map(({ value }) => String(value))
  const hash = await contentHash(layer.bytes, uses)
  if (!hash.ok || rules.trust.includes(hash.value)) return hash.ok ? undefined : hash
  const consents = await readConsents(rules.home)
  if (!consents.ok) return consents
  const agreed = (consent: Consent): boolean => consent.hash === hash.value && consent.project === project
  return consents.value.some(agreed) ? undefined : fine(hash.value)
}
