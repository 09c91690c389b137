import { join } from 'node:path'
import type { Failure } from '@rein/session'
import { type ConsentRules, consentText, type Unconsented } from './consent.ts'
import { type FlagSettings, fileLayer, flagLayer, variableLayer } from './layers.ts'
import { at, effective, mergeAll } from './merge.ts'
import { nearest } from './nearest.ts'
import { badSettings, type Problem } from './problem.ts'
import { projectLayers } from './project-layers.ts'
import { explain, type Row, rows, type Said } from './provenance.ts'
import { builtIn, type Settings, settledFrom } from './settings.ts'
import { dotted, map, type TracedMap, traced } from './traced.ts'

export interface LoadOptions {
  /** `$REIN_HOME`, absolute. */
  readonly home: string
  /** The directory whose `.rein/` counts (`findProject`); undefined when there is none. */
  readonly project: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** In rising order; paths in them are relative to `cwd`. */
  readonly flags: readonly FlagSettings[]
  readonly cwd: string
  /** Read no project file at all. */
  readonly ignoreProject: boolean
  /** Hashes agreed to for this run. */
  readonly trust: readonly string[]
  /**
   * What happens to content of a project nobody agreed to. `require`: nothing is loaded. `withhold`: those keys are
   * left out, the others count, and `withheld` names them.
   */
  readonly consent: 'require' | 'withhold'
  /** See `ConsentRules`. */
  readonly harmlessRow: ConsentRules['harmlessRow']
  /** Rows there are without a `use`: a change of any other is a problem, named with its place. Absent: not checked. */
  readonly rowIds?: readonly string[]
}

/** Settings that may be used. */
export interface Effective {
  readonly settings: Settings
  /** Every effective value with its place; what `rein config` prints. */
  readonly rows: readonly Row[]
  /** Who says what about a key, the strongest first. */
  explain(key: string): readonly Said[]
  /** Files parts of which were left out for want of consent. */
  readonly withheld: readonly Unconsented[]
}

export type Loaded =
  | { readonly kind: 'ready'; readonly effective: Effective }
  /** `rest` is what the settings are without the wrong values; only for looking at. */
  | { readonly kind: 'bad'; readonly failure: Failure; readonly problems: readonly Problem[]; readonly rest: Effective }
  | { readonly kind: 'unconsented'; readonly failure: Failure; readonly wanted: readonly Unconsented[] }

/** Read every layer, hold each against the shape, merge. All problems of all layers are reported together. */
export async function loadSettings(options: LoadOptions): Promise<Loaded> {
  const { home, trust, harmlessRow, cwd } = options
  const user = await fileLayer(join(home, 'rein.yaml'), 'user')
  const own = mergeAll([builtInLayer, user.root])
  const inProject = options.ignoreProject ? undefined : options.project
  const project =
    inProject === undefined ? undefined : await projectLayers(inProject, { home, trust, harmlessRow, own })
  const flags = options.flags.map((flag) => flagLayer(flag, cwd))
  const layers = [user, ...(project?.layers ?? []), variableLayer(options.env), ...flags]
  const wanted = project?.wanted ?? []
  const merged = mergedLayers([builtInLayer, ...layers.map(({ root }) => root)], wanted)
  const lost = options.rowIds ? lostRows(merged, options.rowIds) : []
  const problems = [...layers.flatMap((layer) => layer.problems), ...merged.problems, ...lost]
  if (problems.length > 0) return { kind: 'bad', failure: badSettings(problems), problems, rest: merged.effective }
  if (options.consent === 'withhold' || wanted.length === 0) return { kind: 'ready', effective: merged.effective }
  return { kind: 'unconsented', failure: consentMissing(wanted), wanted }
}

/** The settings nobody wrote: what `rein config --defaults` prints. */
export const defaults = (): Effective => mergedLayers([builtInLayer], []).effective

const builtInLayer: TracedMap = map(
  new Map(Object.entries(builtIn).map(([key, value]) => [key, traced(value, { layer: 'built-in' })])),
  { layer: 'built-in' },
)

/** Changes of rows that are not there. */
function lostRows({ root, effective: { settings } }: Merged, rowIds: readonly string[]): readonly Problem[] {
  const known = [...rowIds, ...Object.keys(settings.providers).map((name) => `provider:${name}`)]
  const lost = Object.entries(settings.plugins).filter(([id, { use }]) => use === undefined && !known.includes(id))
  return lost.map(([id]) => {
    const near = nearest(id, known)
    const message =
      near === undefined
        ? 'there is no such row; a new one needs a `use`'
        : `there is no such row; did you mean ${near}?`
    return { place: at(root, ['plugins', id])?.place ?? root.place, key: dotted(['plugins', id]), message }
  })
}

interface Merged {
  readonly root: TracedMap
  readonly effective: Effective
  readonly problems: readonly Problem[]
}

function mergedLayers(layers: readonly TracedMap[], withheld: readonly Unconsented[]): Merged {
  const root = effective(mergeAll(layers))
  const { settings, missing } = settledFrom(root)
  const problems = missing.map(({ path, message }) => ({
    place: at(root, path)?.place ?? root.place,
    key: dotted(path),
    message,
  }))
  return { root, effective: { settings, rows: rows(root), explain: (key) => explain(layers, key), withheld }, problems }
}

const consentMissing = (wanted: readonly Unconsented[]): Failure => ({
  code: 'CONSENT_MISSING',
  message: consentText(wanted),
  next: `Agree with ${wanted.map(({ hash }) => `--trust-project ${hash}`).join(' ')}, or leave out what the project sets with --ignore-project.`,
})
