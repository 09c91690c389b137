import {
  credentialOf,
  type ModelChoice,
  nearest,
  type openAgent,
  Providers,
  SecretsPort,
  type Settings,
} from '@rein/harness'
import type { Failure, Result } from '@rein/session'
import type { Cli } from './cli.ts'
import { usage } from './usage.ts'
import { safeText } from './view/safe-text.ts'

/** `provider/model` as it is typed; the model's name may hold slashes of its own. Fails `USAGE`. */
export function modelNamed(typed: string): Result<ModelChoice> {
  const slash = typed.indexOf('/')
  const [provider, model] = [typed.slice(0, Math.max(slash, 0)), typed.slice(slash + 1)]
  if (provider !== '' && model !== '') return { ok: true, value: { provider, model } }
  const message = `${JSON.stringify(typed)} is no model: it is written PROVIDER/MODEL.`
  return usage(message, 'With --base-url URL, --model is the bare name.')
}

/**
 * Whether this model can be asked: its provider is there, and its key can be read now. Nothing is sent. Fails
 * `NO_PROVIDER` with the nearest name, or `NO_CREDENTIAL` naming where the key was looked for; no other key is tried.
 */
export async function modelInForce(
  cli: Cli,
  {
    host,
    settings,
    quiet,
  }: { readonly host: Parameters<typeof openAgent>[0]; readonly settings: Settings; readonly quiet: boolean },
  choice: ModelChoice,
): Promise<Result<void>> {
  if (choice.provider === 'demo') await (await import('./demo/rows.ts')).mountDemo(host)
  const names = [...(host.get(Providers)?.entries() ?? [])].map(([name]) => name)
  if (!names.includes(choice.provider)) return { ok: false, failure: noProvider(choice, names) }
  const configured = Object.hasOwn(settings.providers, choice.provider)
    ? settings.providers[choice.provider]
    : undefined
  const registered = host.get(SecretsPort)?.registered
  // A provider made by hand has its own ways; nothing is configured for it.
  if (!configured || !registered) return { ok: true, value: undefined }
  const { home, env } = cli
  const credential = await credentialOf({ provider: choice.provider, source: configured.key, home, env, registered })
  if (!credential.ok) return credential
  if (credential.value.kind === 'not-configured') return { ok: false, failure: credential.value.failure }
  if (credential.value.kind === 'none') return { ok: true, value: undefined }
  const key = await credential.value.read()
  if (!key.ok) return key
  if (!quiet && credential.value.unprotected()) tellOnce(cli, registered, unprotectedKey(credential.value.from))
  return { ok: true, value: undefined }
}

const unprotectedKey = (from: string): string =>
  `rein: the key in ${safeText(from)} is too short to be told from ordinary text: where it turns up, it is logged and sent\n`

/** What was told, by the composition it is about. */
const told = new WeakMap<object, Set<string>>()

function tellOnce(cli: Cli, about: object, text: string): void {
  const before = told.get(about) ?? new Set()
  told.set(about, before)
  if (before.has(text)) return
  before.add(text)
  cli.err(text)
}

function noProvider({ provider, model }: ModelChoice, names: readonly string[]): Failure {
  const near = nearest(provider, names)
  const hint = near === undefined ? `Providers here: ${names.join(', ') || 'none'}.` : `Did you mean ${near}/${model}?`
  const message = `There is no provider named ${JSON.stringify(provider)} (model ${provider}/${model}).`
  return { code: 'NO_PROVIDER', message, next: hint }
}
