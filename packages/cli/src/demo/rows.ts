import type { Host, RowSpec } from '@rein/harness'
import { type ModelChoice, Providers, providerRow, scriptedProvider } from '@rein/harness'
import { reply } from './script.ts'

/** The model of the demo, as a session's header names it. */
export const demoModel: ModelChoice = { provider: 'demo', model: 'scripted' }

/** Replies the script can give in one session; a resumed one needs a few more than twelve. */
const replies = 1_000

/** Rows that bring the scripted model back: for the demo, and to resume or fork a session of it. */
export const demoRows = (): readonly RowSpec[] => [
  {
    id: `provider:${demoModel.provider}`,
    plugin: providerRow(
      scriptedProvider({
        name: demoModel.provider,
        script: Array.from({ length: replies }, () => reply),
        advance: 'message',
        facts: { contextWindow: 128_000, maxOutput: 4_096 },
      }),
    ),
  },
]

/** Brings the scripted model to plugins that run, unless it is there, or somebody's own of that name is. */
export async function mountDemo(host: Host): Promise<void> {
  if (host.get(Providers)?.get(demoModel.provider) === undefined) await host.mountAll(demoRows())
}
