import type { InboxItem, Result, SessionLog } from '@rein/session'
import { isBlank, removalOf } from '@rein/session'
import type { AgentHooks } from './hooks.ts'

/**
 * Take items from the inbox onto the surface, through the one gate of a step. The message itself is the claim, so no
 * crash can lose an item between leaving the inbox and being said.
 * @returns how many messages came of them; a failure when the step was refused. Refused items and those that say
 * nothing leave the inbox, everything else stays queued. A turn stopped meanwhile claims nothing.
 */
export async function admit(
  items: readonly InboxItem[],
  gate: {
    readonly log: SessionLog
    readonly hooks: AgentHooks
    readonly turn: number
    readonly step: number
    readonly signal: AbortSignal
  },
): Promise<Result<number>> {
  if (items.length === 0) return { ok: true, value: 0 }
  const { log, hooks, turn, step, signal } = gate
  const claimed = items.map((item) => ({ item, content: item.content }))
  const admission = await hooks.admit.run({ turn, step, claimed }, async (given) => {
    return { kind: 'admitted', claimed: given.claimed }
  })
  if (signal.aborted) return { ok: true, value: 0 }
  if (admission.kind === 'refused') {
    for (const item of items) log.append('inbox/spliced', removalOf(item, 'refused'))
    const message = `${admission.by} refused this input: ${admission.reason}`
    return { ok: false, failure: { code: 'REFUSED', message, next: 'Change the input, or turn the plugin off.' } }
  }
  return { ok: true, value: say(log, items, new Map(admission.claimed.map(({ item, content }) => [item.id, content]))) }
}

/** In the order of the inbox, whatever order a wrapper gave. */
function say(log: SessionLog, items: readonly InboxItem[], words: ReadonlyMap<string, InboxItem['content']>): number {
  let said = 0
  for (const item of items) {
    const content = words.get(item.id)?.filter((part) => !isBlank(part)) ?? []
    if (content.length === 0) log.append('inbox/spliced', removalOf(item, 'dropped'))
    else {
      log.append('user/message', { content, source: item.source, item: item.id })
      said++
    }
  }
  return said
}
