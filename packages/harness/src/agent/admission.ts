import type { Failure, InboxItem, SessionLog } from '@rein/session'
import { laneOf } from '@rein/session'
import type { AgentHooks } from './hooks.ts'

/**
 * Take items from the inbox onto the surface, through the one gate of a step. The message itself is the claim, so no
 * crash can lose an item between leaving the inbox and being said.
 * @returns why the step was refused; the refused items are dropped from the inbox, everything else stays queued.
 */
export async function admit(
  items: readonly InboxItem[],
  gate: { readonly log: SessionLog; readonly hooks: AgentHooks; readonly turn: number; readonly step: number },
): Promise<Failure | undefined> {
  if (items.length === 0) return undefined
  const { log, hooks, turn, step } = gate
  const claimed = items.map((item) => ({ item, content: item.content }))
  const admission = await hooks.admit.run({ turn, step, claimed }, async (given) => {
    return { kind: 'admitted', claimed: given.claimed }
  })
  if (admission.kind === 'refused') {
    for (const item of items) drop(log, item)
    return {
      code: 'PLUGIN_FAILED',
      message: `${admission.by} refused this input: ${admission.reason}`,
      next: 'Change the input, or turn the plugin off.',
    }
  }
  for (const { item, content } of admission.claimed) {
    const said = content.filter((part) => part.type !== 'text' || part.text.trim() !== '')
    if (said.length === 0) drop(log, item)
    else log.append('user/message', { content: said, source: item.source, item: item.id })
  }
  return undefined
}

function drop(log: SessionLog, item: InboxItem): void {
  log.append('inbox/spliced', { lane: laneOf(item), start: 0, remove: [item.id], insert: [], reason: 'refused' })
}
