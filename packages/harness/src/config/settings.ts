import type { Json, PermissionMode, Quirks } from '@rein/session'
import { modes } from '../sandbox/modes.ts'
import { effective } from './merge.ts'
import { type Accepted, amount, choice, count, each, type Leaf, open, section, text, texts, yesNo } from './shape.ts'
import { plain, type TracedMap } from './traced.ts'

/** Where a provider's key comes from. Without one, `credentials.yaml` is asked for the provider's name. */
export type KeySource = 'none' | { readonly env: string } | { readonly file: string }

const variable = /^[A-Za-z_][A-Za-z0-9_]*$/

/** A map is a key source as a whole: one layer's `file` never joins another layer's `env`. */
const keySource: Leaf<KeySource> = {
  kind: 'leaf',
  expected: 'none, { env: NAME } or { file: PATH }; a key itself is never written in settings',
  accepts: (value): value is KeySource => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value === 'none'
    const [entry, ...more] = Object.entries(value)
    if (entry === undefined || more.length > 0 || typeof entry[1] !== 'string') return false
    return entry[0] === 'env' ? variable.test(entry[1]) : entry[0] === 'file' && entry[1] !== ''
  },
}

/** No query, no fragment, no password: the path of the dialect is put behind it, and it is shown and logged. */
const address: Leaf<string> = {
  kind: 'leaf',
  expected: 'an http or https address without user, password, query or fragment',
  accepts: (value): value is string => {
    if (typeof value !== 'string' || !URL.canParse(value)) return false
    const { protocol, username, password } = new URL(value)
    return /^https?:$/.test(protocol) && username === '' && password === '' && !/[?#\s]/.test(value)
  },
}

const quirks = section({
  systemRole: choice<Quirks['systemRole']>('system', 'developer'),
  maxTokensField: choice<Quirks['maxTokensField']>('max_tokens', 'max_completion_tokens'),
  reasoningField: choice<Quirks['reasoningField']>('reasoning_content', 'reasoning', 'none'),
  emptyContent: choice<Quirks['emptyContent']>('null', 'empty', 'omit'),
  usageInStream: yesNo,
  parallelCalls: choice<Quirks['parallelCalls']>('omit', 'true', 'false'),
})

const model = section({
  contextWindow: count(1),
  maxOutput: count(1),
  price: section({ input: amount, cacheRead: amount, cacheWrite: amount, output: amount }),
  parameters: open,
})

const provider = section({
  dialect: choice('openai-chat'),
  baseUrl: address,
  key: keySource,
  models: each(model),
  quirks,
})

/** Every key there is. It drives the checks, the names of environment variables and the hints on unknown keys. */
export const settingsShape = section({
  model: text('a model as provider/model'),
  providers: each(provider),
  permissions: section({
    mode: choice<PermissionMode>(...modes),
    network: texts('host names'),
    fetch: text('ask, all or a list of hosts'),
    read: section({ deny: texts('paths') }),
    commands: section({ allow: texts('commands'), ask: texts('commands'), deny: texts('commands') }),
    env: section({ inherit: yesNo, keep: texts('names of environment variables', variable) }),
  }),
  budgets: section({ steps: count(1), tokens: count(1), cost: amount }),
  sessions: section({ keep: section({ days: count(1) }) }),
  plugins: each(section({ use: text('a path or the name of a package'), config: open, enabled: yesNo })),
})

/** Keys whose effect has not landed: refused wherever they are set, so that nothing is accepted and ignored. */
export const notYet: ReadonlySet<string> = new Set([
  'permissions.network',
  'permissions.fetch',
  'permissions.read',
  'permissions.commands',
  'budgets.tokens',
  'budgets.cost',
])

type Raw = Accepted<typeof settingsShape>
type RawProvider = Accepted<typeof provider>

/** What is set for one model; prices in US dollars per million tokens, sizes in tokens. */
export type ModelSettings = Accepted<typeof model>

export interface ProviderSettings {
  readonly dialect: 'openai-chat'
  readonly baseUrl: string
  /** Absent: the provider's name in `credentials.yaml`. A `file` is absolute. */
  readonly key?: KeySource
  readonly models: { readonly [name: string]: ModelSettings }
  readonly quirks: Partial<Quirks>
}

/** One row of the plugin list, or a change to one. */
export interface PluginRow {
  /** The name of a package, or an absolute path. */
  readonly use?: string
  readonly config?: { readonly [key: string]: Json }
  readonly enabled?: boolean
}

/** The effective settings: checked, complete, without places. */
export interface Settings {
  /** `provider/model`; absent when nobody chose one. */
  readonly model?: string
  readonly providers: { readonly [name: string]: ProviderSettings }
  readonly permissions: {
    readonly mode: PermissionMode
    readonly env: { readonly inherit: boolean; readonly keep: readonly string[] }
  }
  /** `steps`: model requests in one turn; absent when somebody removed the limit. */
  readonly budgets: { readonly steps?: number }
  /** `keepDays`: sessions that did not change for so many days are put into the trash; absent when none ever is. */
  readonly sessions?: { readonly keepDays: number }
  readonly plugins: { readonly [id: string]: PluginRow }
}

/** What applies where nobody says anything, and again where a layer removes a value that must be there. */
export const builtIn = {
  permissions: { mode: 'workspace-write', env: { inherit: true, keep: [] } },
  budgets: { steps: 200 },
} as const satisfies Raw

/** Something that must be there and is not, in any layer. */
export interface Missing {
  readonly path: readonly string[]
  readonly message: string
}

/**
 * @param root merged layers, each of which was checked against `settingsShape`; merging keeps to it.
 * @returns the settings, and what is missing in them; a provider without an address is left out.
 */
export function settledFrom(root: TracedMap): { readonly settings: Settings; readonly missing: readonly Missing[] } {
  const raw = plain(effective(root)) as Raw
  const providers = Object.entries(raw.providers ?? {})
  const { env, mode } = raw.permissions ?? {}
  const settings: Settings = {
    ...(raw.model === undefined ? {} : { model: raw.model }),
    providers: Object.fromEntries(providers.flatMap(([name, value]) => withAddress(name, value))),
    permissions: {
      mode: mode ?? builtIn.permissions.mode,
      env: { ...builtIn.permissions.env, ...env },
    },
    budgets: raw.budgets?.steps === undefined ? {} : { steps: raw.budgets.steps },
    ...(raw.sessions?.keep?.days !== undefined && { sessions: { keepDays: raw.sessions.keep.days } }),
    plugins: raw.plugins ?? {},
  }
  return { settings, missing: providers.flatMap(([name, value]) => missingIn(name, value)) }
}

function missingIn(name: string, { baseUrl, models = {} }: RawProvider): readonly Missing[] {
  const address = baseUrl === undefined ? [{ path: ['providers', name], message: 'has no baseUrl' }] : []
  const prices = Object.entries(models).flatMap(([model, { price }]) => {
    const whole = price === undefined || (price.input !== undefined && price.output !== undefined)
    return whole
      ? []
      : [{ path: ['providers', name, 'models', model, 'price'], message: 'needs both input and output' }]
  })
  return [...address, ...prices]
}

function withAddress(name: string, raw: RawProvider): readonly [string, ProviderSettings][] {
  const { dialect = 'openai-chat', baseUrl, key, models = {}, quirks = {} } = raw
  if (baseUrl === undefined) return []
  return [[name, { dialect, baseUrl, ...(key === undefined ? {} : { key }), models, quirks }]]
}
