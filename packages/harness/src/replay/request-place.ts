import type { EventNamed, ReadBlob, SessionEvent } from '@rein/session'
import { Rebuild } from '@rein/session'
import { nodeHasher } from '../store/hasher.ts'
import { firstDifference, type Place } from './difference.ts'
import type { Parting } from './replay-log.ts'

/** Where the bytes of the first request that a difference reaches are others. */
export interface RequestPlace extends Place {
  readonly id: string
  /** Seq of its `request/sent`. */
  readonly seq: number
  /** The first byte that differs, counted from 0. */
  readonly byte: number
}

/**
 * Both bodies of the first request after the difference: as recorded, and as it would be with today's event in the
 * place of the recorded one. Undefined when it reaches no request.
 */
export function requestPlace(
  events: readonly SessionEvent[],
  { seq, now }: Parting,
  blob: ReadBlob,
): RequestPlace | undefined {
  const then = events[seq]
  const sent = events.find(
    (event): event is EventNamed<'request/sent'> => event.type === 'request/sent' && event.seq > seq,
  )
  if (!then || !sent || then.type !== now.type) return undefined
  const today = { ...then, data: now.data } as SessionEvent
  const before = bodyOf(events, sent, blob)
  const after = bodyOf(events.with(seq, today), sent, blob)
  const byte = before && after ? firstByte(before, after) : -1
  if (!before || !after || byte < 0) return undefined
  const { id } = sent.data
  const place = firstDifference(JSON.parse(before.toString()), JSON.parse(after.toString()))
  return { id, seq: sent.seq, byte, ...(place ?? { path: '', was: undefined, now: undefined }) }
}

function bodyOf(events: readonly SessionEvent[], sent: EventNamed<'request/sent'>, blob: ReadBlob): Buffer | undefined {
  const rebuild = new Rebuild({ hasher: nodeHasher, blob, keep: true })
  for (const event of events.slice(0, sent.seq)) rebuild.feed(event)
  const made = rebuild.request(sent)
  return made.ok ? Buffer.concat(made.value.body) : undefined
}

/** @returns -1 when both are the same. */
function firstByte(a: Buffer, b: Buffer): number {
  const shorter = Math.min(a.length, b.length)
  for (let at = 0; at < shorter; at++) if (a[at] !== b[at]) return at
  return a.length === b.length ? -1 : shorter
}
