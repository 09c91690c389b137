import { plugin, service } from '@rein/kernel'
import type { SessionLog } from '@rein/session'
import { recorded } from '../../model/chunk-log.ts'
import type { Provider } from '../../model/provider.ts'
import { openEnd } from '../../secret/open-end.ts'
import { WorldPort } from '../world.ts'
import { SecretsPort } from './core.ts'

/** A provider whose replies are written to this log while they stream. Without it nothing is, and nothing else changes. */
export const ChunkLogPort = service<(provider: Provider, log: SessionLog) => Provider>('chunk-log')

export const chunksRow = plugin({
  name: 'chunks',
  needs: { secrets: SecretsPort, world: WorldPort },
  setup({ needs, provide }) {
    const { known, registered } = needs.secrets
    const redact = { ...known, openEnd: (text: string) => openEnd(text, registered) }
    const { now } = needs.world.ports
    provide(ChunkLogPort, (provider, log) => recorded(provider, { log, now, redact }))
  },
})
