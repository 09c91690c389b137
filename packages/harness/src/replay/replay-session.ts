import type { Lease, LiveSession, Store } from '@rein/session'
import { idOf } from '@rein/session'
import type { ReplayLog } from './replay-log.ts'

/**
 * A session in nobody's hands: what is appended to it is written nowhere, and nobody else can post to it.
 * @param at `drained`: called when the agent takes in what others posted.
 */
export function sessionOver(
  log: ReplayLog,
  { store, drained }: { readonly store: Store; readonly drained: () => void },
): LiveSession {
  const id = idOf(log.events) || 'replay'
  const nothing = async (): Promise<void> => undefined
  const lease: Lease = {
    id,
    epoch: 1,
    async *bytes() {},
    publish: nothing,
    append: nothing,
    sync: nothing,
    check: nothing,
    renew: nothing,
    async posted() {
      drained()
      return []
    },
    settle: nothing,
    amend: async () => true,
    onPosted: () => ({ [Symbol.dispose]: () => undefined }),
    release: nothing,
  }
  return { id, log, lease, store, damage: [], withdrawn: [], close: nothing }
}
