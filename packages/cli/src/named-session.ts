import { StorePort } from '@rein/harness'
import type { Result, SessionEntry } from '@rein/session'
import type { Args } from './args.ts'
import type { Cli } from './cli.ts'
import { storeOf } from './commands/stored-log.ts'
import { loadFor } from './settings.ts'
import { startHost } from './start.ts'

/**
 * The session a person means to go on with: of this home, or of the store of their own that the settings name. Of a
 * project nobody agreed to, no plugin is asked.
 */
export async function namedSession(cli: Cli, args: Args, typed: string): Promise<Result<SessionEntry>> {
  const loaded = await loadFor(cli, args, 'withhold')
  const settings = loaded.ok && loaded.value.kind === 'ready' ? loaded.value.effective.settings : undefined
  const row = settings?.plugins['store']
  // Settings that cannot be read are told of when the session is opened.
  if (!settings || row?.use === undefined || row.enabled === false) return storeOf(cli).find(typed, cli.cwd)
  const own = { ...settings, plugins: { store: row } }
  const hosted = await startHost(cli, { settings: own, preset: 'minimal', person: false, quiet: true })
  if (!hosted.ok) return hosted
  await using host = hosted.value
  const store = host.host.get(StorePort)
  return store ? await store.find(typed, cli.cwd) : storeOf(cli).find(typed, cli.cwd)
}
