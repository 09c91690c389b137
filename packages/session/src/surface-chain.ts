import type { MessageEvent, SessionEvent } from './events/index.ts'
import { States } from './states.ts'

/** The last message that came to a surface, and what it came to. Surfaces share what they have in common. */
export interface SurfaceEnd {
  readonly event: MessageEvent
  readonly before: SurfaceEnd | undefined
  /** All messages, kept after a replace so that the next one need not gather them again. */
  all: readonly MessageEvent[] | undefined
}

/** Of so many replaces one keeps its list: all of them would be the surface squared. */
const keptOneOf = 64

/**
 * The surface after every event of a log. A message or a rewind costs the same however long the surface is; a replace
 * copies a list. The fold that the writer uses gives the same messages.
 */
export class SurfaceChain {
  readonly #ends = new States<SurfaceEnd | undefined>(undefined)
  #replaced: SurfaceEnd | undefined
  #replaces = 0

  feed(event: SessionEvent): void {
    if (event.type === 'session/rewound') this.#ends.add(event.seq, this.at(event.data.to))
    else if (isMessage(event)) this.#ends.add(event.seq, this.#moved(event))
  }

  get last(): SurfaceEnd | undefined {
    return this.#ends.last
  }

  /** The surface after event `seq`. */
  at(seq: number): SurfaceEnd | undefined {
    return this.#ends.at(seq)
  }

  #moved(event: MessageEvent): SurfaceEnd {
    const end: SurfaceEnd = { event, before: this.last, all: undefined }
    if (typeof event.surface !== 'object') return end
    const all = messagesOf(end)
    if (this.#replaced && this.#replaces++ % keptOneOf > 0) this.#replaced.all = undefined
    end.all = all
    this.#replaced = end
    return end
  }
}

const isMessage = (event: SessionEvent): event is MessageEvent => event.surface !== undefined

/** Where a range of messages stands, by the seqs of its first and last; undefined when there is no such range. */
export function rangeIn(messages: readonly MessageEvent[], [first, last]: readonly [number, number]) {
  const from = placeOf(messages, first)
  const to = placeOf(messages, last)
  return from < 0 || to < from ? undefined : { from, to }
}

function placeOf(messages: readonly MessageEvent[], seq: number): number {
  for (let at = 0; at < messages.length; at++) if (messages[at]?.seq === seq) return at
  return -1
}

/** All messages of a surface, first to last. */
export function messagesOf(end: SurfaceEnd | undefined): readonly MessageEvent[] {
  if (end?.all) return end.all
  const added: MessageEvent[] = []
  let at = end
  for (; at && !at.all; at = at.before) added.push(at.event)
  const messages = at?.all?.slice() ?? []
  for (const event of added.reverse()) {
    const range = typeof event.surface === 'object' ? rangeIn(messages, event.surface.replace) : undefined
    if (range) messages.splice(range.from, range.to - range.from + 1, event)
    else messages.push(event)
  }
  return messages
}

/** The messages that were added to `from`, first to last; undefined when this surface is something else. */
export function addedTo(
  from: SurfaceEnd | undefined,
  end: SurfaceEnd | undefined,
): readonly MessageEvent[] | undefined {
  const added: MessageEvent[] = []
  let at = end
  for (; at && at !== from && at.event.surface === 'append'; at = at.before) added.push(at.event)
  return at === from ? added.reverse() : undefined
}
