import type { MessageEvent, SessionEvent } from '../events/index.ts'
import type { Fold } from '../fold.ts'
import type { Draft } from '../line.ts'
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
  const all = state.messages.slice()
  const range = rangeOf(all, event.surface.replace)
  // Append refuses a range that is not on the surface; in a damaged log it shadows nothing, and nothing is hidden.
  if (!range) return { messages: state.messages.push(event) }
  all.splice(range.from, range.to - range.from + 1, event)
  return { messages: SharedList.of(all) }
}

function rangeOf(all: readonly MessageEvent[], [first, last]: readonly [number, number]) {
  const from = all.findIndex((message) => message.seq === first)
  const to = all.findIndex((message) => message.seq === last)
  return from < 0 || to < from ? undefined : { from, to }
}

/** What is wrong with a replace on this surface, in words, or undefined. */
export function faultOfMove(state: Surface, { surface: op, sources, type, data }: Draft): string | undefined {
  if (typeof op !== 'object') return undefined
  const all = state.messages.slice()
  const range = rangeOf(all, op.replace)
  if (!range) return `events ${op.replace.join(' to ')} are not a range on the surface`
  const gone = all.slice(range.from, range.to + 1)
  const unnamed = gone.find(({ seq }) => !sources?.includes(seq))
  if (unnamed) return `sources must name event ${unnamed.seq}, which the replace shadows`
  const call = type === 'tool/result' && 'call' in data ? data.call : undefined
  if (call !== undefined && !gone.some((message) => message.type === 'tool/result' && message.data.call === call))
    return `a replacing result of ${call} must shadow a result of that call`
  return undefined
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
