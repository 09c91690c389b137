import { join } from 'node:path'
import { plugin, Registry, service } from '@rein/kernel'
import { FailureError } from '@rein/session'
import { Commands, type SlashCommand } from '../../agent/commands.ts'
import { AgentHooks, Hooks } from '../../agent/hooks.ts'
import { LoopPort, standardLoop } from '../../agent/loop.ts'
import { text } from '../../builtin/text.ts'
import type { Provider } from '../../model/provider.ts'
import { PromptPort } from '../../prompt/prompt.ts'
import { runtimeContext } from '../../prompt/runtime-context.ts'
import { Sections, SectionTable } from '../../prompt/sections.ts'
import { secretKey } from '../../secret/key.ts'
import { type Redactor, redactor } from '../../secret/redact.ts'
import { RegisteredSecrets } from '../../secret/registered.ts'
import { homeStore, type StoreKind } from '../../store/home.ts'
import type { SessionStore } from '../../store/session-store.ts'
import { ToolSet, Tools } from '../../tools/ports.ts'
import { WorldPort } from '../world.ts'

/** Not swappable: its row is restarted only while no session is held. */
export const StorePort = service<SessionStore>('store')

export interface Secrets {
  readonly registered: RegisteredSecrets
  /** For tool results and posts: registered values and known key formats. */
  readonly redactor: Redactor
  /** For what a model says: registered values only. */
  readonly known: Redactor
}

export const SecretsPort = service<Secrets>('secrets')

/** Model endpoints by name. A provider is pinned for one attempt. */
export const Providers = service<Registry<Provider>>('providers')

export const hooksRow = plugin({
  name: 'hooks',
  needs: {},
  setup: ({ provide }) => provide(Hooks, new AgentHooks()),
})

export const toolsRow = plugin({
  name: 'tools',
  needs: {},
  setup: ({ provide }) => provide(Tools, new ToolSet()),
})

export const providersRow = plugin({
  name: 'providers',
  needs: {},
  setup: ({ provide }) => provide(Providers, new Registry<Provider>('providers')),
})

export const commandsRow = plugin({
  name: 'commands',
  needs: {},
  setup: ({ provide }) => provide(Commands, new Registry<SlashCommand>('commands')),
})

export const secretsRow = plugin({
  name: 'secrets',
  needs: { world: WorldPort },
  setup({ needs, provide }) {
    const registered = new RegisteredSecrets()
    const key = secretKey(join(needs.world.home, 'secret-key'))
    const hiding = (formats: boolean) => redactor({ key, registered, formats })
    provide(SecretsPort, { registered, redactor: hiding(true), known: hiding(false) })
  },
})

export const storeRow = plugin({
  name: 'store',
  needs: { world: WorldPort },
  config: storeConfig,
  // The machine's own clock: whether a holder lives is about real time, also where a session's clock is fixed.
  setup: ({ needs, provide, config }) =>
    provide(StorePort, homeStore({ home: needs.world.home, now: Date.now, ...config })),
})

/**
 * `kind`: which store keeps new sessions, `jsonl`, `sqlite` or `memory`. `silentMs`: after how long without a sign of
 * life a holder may be taken over, in milliseconds, at least 2000.
 */
function storeConfig(raw: unknown): { keep?: StoreKind; silentMs?: number } {
  const { kind, silentMs, ...other }: { kind?: unknown; silentMs?: unknown } =
    typeof raw === 'object' && raw !== null ? raw : {}
  const [unknown] = Object.keys(other)
  if (unknown !== undefined) throw badStore(`${unknown} is not known`)
  if (kind !== undefined && !isStoreKind(kind)) throw badStore(`kind is ${JSON.stringify(kind)}`)
  if (silentMs === undefined) return { ...(kind && { keep: kind }) }
  if (typeof silentMs !== 'number' || !Number.isInteger(silentMs) || silentMs < 2000)
    throw badStore('silentMs is not a whole number of milliseconds from 2000 up')
  return { ...(kind && { keep: kind }), silentMs }
}

const isStoreKind = (value: unknown): value is StoreKind =>
  value === 'jsonl' || value === 'sqlite' || value === 'memory'

const badStore = (what: string): FailureError =>
  new FailureError({
    code: 'BAD_SETTINGS',
    message: `plugins.store.config: ${what}.`,
    next: 'The keys are kind (jsonl, sqlite or memory) and silentMs.',
  })

export const loopRow = plugin({
  name: 'loop',
  needs: {},
  setup: ({ provide }) => provide(LoopPort, standardLoop),
})

export const sectionsRow = plugin({
  name: 'sections',
  needs: {},
  setup: ({ provide }) => provide(SectionTable, new Sections()),
})

export const basePromptRow = plugin({
  name: 'base-prompt',
  needs: { sections: SectionTable },
  setup({ needs, scope }) {
    needs.sections.add(scope, { name: 'base', order: 0, text: text(import.meta.url, '../../prompt/base.md') })
  },
})

export const promptRow = plugin({
  name: 'prompt',
  needs: { sections: SectionTable, world: WorldPort },
  setup({ needs, provide }) {
    const { sections, world } = needs
    provide(PromptPort, {
      system: () => sections.render(),
      context: (log, cwd) => runtimeContext(log, { cwd, now: world.ports.now() }),
    })
  },
})
