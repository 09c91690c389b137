import type { Json, Result } from '@rein/session'
import type { Args } from './args.ts'
import type { Cli } from './cli.ts'
import { modelNamed } from './model.ts'
import { usage } from './usage.ts'

/** What one flag sets, as a layer above everything that is written in files. */
export interface FlagSettings {
  readonly label: string
  readonly settings: { readonly [key: string]: Json }
}

/** The flags as layers of settings. Fails `USAGE`, and `NO_CREDENTIAL` when `--base-url` needs a key that is not there. */
export function flagSettings(cli: Cli, args: Args): Result<readonly FlagSettings[]> {
  const model = modelSettings(cli, args)
  if (!model.ok) return model
  const layers: FlagSettings[] = [...model.value]
  const mode = args.value('mode')
  if (mode !== undefined) layers.push({ label: '--mode', settings: { permissions: { mode } } })
  const steps = args.value('max-steps')
  if (steps !== undefined) layers.push({ label: '--max-steps', settings: { budgets: { steps: Number(steps) } } })
  for (const patch of args.values('plugin')) {
    const row = pluginRow(patch)
    if (!row.ok) return row
    layers.push({ label: '--plugin', settings: { plugins: row.value } })
  }
  return { ok: true, value: layers }
}

function modelSettings(cli: Cli, args: Args): Result<readonly FlagSettings[]> {
  const [url, model] = [args.value('base-url'), args.value('model')]
  if (url !== undefined) return endpointSettings(cli, url, model)
  if (args.has('dialect')) return usage('--dialect makes sense only with --base-url')
  if (model === undefined) return { ok: true, value: [] }
  const named = modelNamed(model)
  return named.ok ? { ok: true, value: [{ label: '--model', settings: { model } }] } : named
}

/** An endpoint without any configuration: a provider named for its host, so that the same one has the same name. */
function endpointSettings(cli: Cli, baseUrl: string, model: string | undefined): Result<readonly FlagSettings[]> {
  if (!URL.canParse(baseUrl)) return usage(`--base-url takes an http or https address, not ${JSON.stringify(baseUrl)}`)
  if (model === undefined || model === '') return usage('--base-url needs --model NAME, the bare name of a model there')
  const { host, hostname } = new URL(baseUrl)
  const key = cli.env.REIN_API_KEY ? { env: 'REIN_API_KEY' } : 'none'
  if (key === 'none' && !isLoopback(hostname)) return { ok: false, failure: keyMissing(host) }
  const provider = { dialect: 'openai-chat', baseUrl, key }
  const settings = { model: `${host}/${model}`, providers: { [host]: provider } }
  return { ok: true, value: [{ label: '--base-url', settings }] }
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  hostname === '[::1]' ||
  /^127(\.\d+){3}$/.test(hostname)

const keyMissing = (host: string) =>
  ({
    code: 'NO_CREDENTIAL',
    message: `The key for ${host} is read from the variable REIN_API_KEY, and it is not set.`,
    next: 'Set it. An endpoint of your own that wants no key is a provider with `key: none` in rein.yaml.',
  }) as const

/** `ID=off`, `ID=PATH` or `ID={json}`. Whether such a row exists and may be patched so is found out with the others. */
function pluginRow(patch: string): Result<{ readonly [id: string]: Json }> {
  const at = patch.indexOf('=')
  const [id, change] = [patch.slice(0, Math.max(at, 0)), patch.slice(at + 1)]
  if (id === '' || change === '') return usage(`--plugin takes ID=off, ID=PATH or ID={json}, not ${patch}`)
  if (change === 'off') return { ok: true, value: { [id]: { enabled: false } } }
  if (!change.startsWith('{')) return { ok: true, value: { [id]: { use: change } } }
  try {
    const value: Json = JSON.parse(change)
    return { ok: true, value: { [id]: value } }
  } catch (error) {
    return usage(`--plugin ${id}: this is no JSON (${error instanceof Error ? error.message : String(error)})`)
  }
}
