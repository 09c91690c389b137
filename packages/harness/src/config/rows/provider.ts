import { type Plugin, plugin } from '@rein/kernel'
import type { Failure } from '@rein/session'
import { FailureError } from '@rein/session'
import type { KeySource } from '../../model/openai-provider.ts'
import type { Provider } from '../../model/provider.ts'
import { credentialOf } from '../credentials.ts'
import type { ModelSettings, ProviderSettings } from '../settings.ts'
import { WorldPort } from '../world.ts'
import { Providers, SecretsPort } from './core.ts'

/** A row for a provider that is made by hand: the scripted model, a cassette, somebody's own. */
export const providerRow = (provider: Provider): Plugin =>
  plugin({
    name: `provider ${provider.name}`,
    needs: { providers: Providers },
    setup: ({ needs, scope }) => needs.providers.add(scope, provider.name, provider),
  })

/** A row for a provider of the settings. A key that is configured and missing fails when it is used, naming where. */
export const settingsProviderRow = (name: string, settings: ProviderSettings): Plugin =>
  plugin({
    name: `provider ${name}`,
    needs: { providers: Providers, world: WorldPort, secrets: SecretsPort },
    async setup({ needs, scope }) {
      const { world, secrets, providers } = needs
      const { home, env } = world
      const credential = await credentialOf({
        provider: name,
        source: settings.key,
        home,
        env,
        registered: secrets.registered,
      })
      if (!credential.ok) throw new FailureError(credential.failure)
      const key = keyOf(credential.value)
      const [{ openaiProvider }, { httpTransport }, { agents }] = await Promise.all([
        import('../../model/openai-provider.ts'),
        import('../../net/http.ts'),
        import('../../net/agent.ts'),
      ])
      // The proxy is the one the person's environment names; idle sockets end with the row.
      const sockets = agents({ environment: env })
      scope.defer(() => sockets.close(), 'idle sockets')
      const { baseUrl, quirks } = settings
      const transport = httpTransport(sockets)
      providers.add(scope, name, openaiProvider({ name, baseUrl, key, quirks, models: factsOf(settings), transport }))
    },
  })

type Known = Awaited<ReturnType<typeof credentialOf>> & { ok: true }

function keyOf(credential: Known['value']): KeySource {
  if (credential.kind === 'none') return { kind: 'none' }
  if (credential.kind === 'key') return { kind: 'bearer', read: credential.read }
  const failure: Failure = credential.failure
  return { kind: 'bearer', read: async () => ({ ok: false, failure }) }
}

/** A price counts when both its ends are known; what a cache costs is what input costs unless it is said. */
function factsOf({ models }: ProviderSettings) {
  const entries = Object.entries<ModelSettings>(models).map(([model, { price, ...facts }]) => {
    const { input, output, cacheRead = input, cacheWrite = input } = price ?? {}
    const known = input !== undefined && output !== undefined && cacheRead !== undefined && cacheWrite !== undefined
    return [model, { ...facts, ...(known && { price: { input, output, cacheRead, cacheWrite } }) }] as const
  })
  return Object.fromEntries(entries)
}
