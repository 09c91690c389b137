import type { MessageEvent, SessionEvent } from '../events/index.ts'
import type { Fold } from '../fold.ts'
import { SharedList } from '../shared.ts'

/** The ordered messages the model sees. */
export interface Surface {
  readonly messages: SharedList<MessageEvent>
}

export const surface: Fold<Surface> = {
  rewinds: true,
  initial: { messages: SharedList.of() },
  step(state, event) {
    switch (event.type) {
      case 'system/message':
      case 'user/message':
      case 'assistant/message':
      case 'tool/result':
        return place(state, event)
      default:
        return state
    }
  },
}

function place(state: Surface, event: MessageEvent): Surface {
  if (event.surface === undefined || event.surface === 'append') return { messages: state.messages.push(event) }
  const [first, last] = event.surface.replace
  const all = state.messages.slice()
  const from = all.findIndex((message) => message.seq === first)
  const to = all.findIndex((message) => message.seq === last)
  // A range that is not on the surface shadows nothing; the checks of rule 2 and verify report it.
  if (from < 0 || to < from) return { messages: state.messages.push(event) }
  all.splice(from, to - from + 1, event)
  return { messages: SharedList.of(all) }
}

/**
 * The event that last changed what was already on the surface, looking back from `at` to `since`; and whose doing
 * it was. Undefined when messages were only added.
 */
export function breakOf(events: readonly SessionEvent[], since: number, at: number) {
  for (let seq = at; seq > since; seq--) {
    const event = events[seq]
    if (event?.type === 'session/rewound') return { event: seq, owner: 'rewind' }
    if (event && typeof event.surface === 'object') return { event: seq, owner: ownerOf(event) }
  }
  return undefined
}

function ownerOf(event: SessionEvent): string {
  if (event.type === 'user/message') return event.data.source.name ?? event.data.source.kind
  return event.type === 'tool/result' ? 'prune' : event.type
}

/** Seqs that were on the surface once and are not any more. */
export function shadowed(events: readonly SessionEvent[], now: Surface): ReadonlySet<number> {
  const visible = new Set<number>()
  for (const message of now.messages) visible.add(message.seq)
  const gone = new Set<number>()
  for (const event of events) if (event.surface !== undefined && !visible.has(event.seq)) gone.add(event.seq)
  return gone
}
