import type { Json } from './events/content.ts'
import type { SessionEvent } from './events/index.ts'
import type { NewHasher } from './hasher.ts'
import { chain, encodeLine, faultOf, format, freeze, isKnown, splitLine } from './line.ts'

/** What is hidden in a log, and what stands in the record of it. */
export interface RedactOptions {
  readonly hasher: NewHasher
  /** Gives the same text back when there is nothing to hide. Doing it twice changes nothing. */
  readonly hide: (text: string) => string
  /** Of the record that says that the log was rewritten: milliseconds since 1970. */
  readonly time: number
}

/** A log with texts hidden, event for event, its chain made anew, a mark in `session/start` and `session/migrated` behind it. */
export interface RedactedLog {
  readonly events: readonly SessionEvent[]
  readonly lines: readonly string[]
  /** Seqs of the events that changed. What did not differs from before in its hash alone, or in the mark. */
  readonly changed: readonly number[]
  /** Seqs of events where what was to be hidden is a word of the format itself, which stays. */
  readonly kept: readonly number[]
}

/**
 * Hide texts everywhere in a log: in every string, key and free number of every event, and in a streamed reply where
 * its pieces only show them together. What was sent stays recorded by its old hash, which is what `verify` excuses.
 * @param log its lines and events as `readLog` gives them, a declared damage in the place of what was lost.
 */
export function redactLog(
  log: { readonly events: readonly SessionEvent[]; readonly lines: readonly string[] },
  { hasher, hide, time }: RedactOptions,
): RedactedLog {
  const joined = joinedPieces(log.events, hide)
  const made = { events: [] as SessionEvent[], lines: [] as string[], changed: [] as number[], kept: [] as number[] }
  let previous = ''
  for (const [seq, event] of log.events.entries()) {
    const hidden = hideEvent(joined.get(seq) ?? event, hide)
    if (hidden.event !== event) made.changed.push(seq)
    if (hidden.kept) made.kept.push(seq)
    const safe = marked(hidden.event)
    const before = safe === event ? splitLine(log.lines[seq] ?? '')?.before : undefined
    const { text, hash } = relink(before ?? recordOf(safe), previous, hasher)
    made.lines.push(text)
    made.events.push(freeze({ ...safe, hash }))
    previous = hash
  }
  const data = { from: format, to: format, oldHead: log.events.at(-1)?.hash ?? '' }
  const place = { seq: log.events.length, time, previous }
  const { line, hash } = encodeLine(place, { type: 'session/migrated', data }, hasher)
  made.lines.push(line)
  made.events.push(freeze({ seq: place.seq, time, type: 'session/migrated', data, hash }))
  return made
}

/** Every string, key and number in a value that is JSON. @returns the same value when there is nothing to hide. */
export const hideIn = (value: unknown, hide: (text: string) => string): unknown =>
  new Hiding(hide, () => false).value(value)

/** What is cut off behind it still says that it was redacted. */
const marked = (event: SessionEvent): SessionEvent =>
  event.type !== 'session/start' || event.data.redacted ? event : { ...event, data: { ...event.data, redacted: true } }

function relink(before: string, previous: string, hasher: NewHasher) {
  const hash = chain(previous, before, hasher)
  return { text: `${before},"hash":"${hash}"}`, hash }
}

/** The record without its hash; fields of a newer version stay where they are. */
function recordOf(event: SessionEvent): string {
  const { hash: _, ...rest } = event
  return JSON.stringify(rest).slice(0, -1)
}

function hideEvent(event: SessionEvent, hide: (text: string) => string): { event: SessionEvent; kept: boolean } {
  const all = withData(event, hideIn(event.data, hide))
  if (all === event || !isFaulty(all)) return { event: all, kept: false }
  const free = new Hiding(hide, isWord)
  const some = withData(event, free.value(event.data))
  if (some === event || !isFaulty(some)) return { event: some, kept: free.words > 0 }
  // A note that outgrew its limit says nothing any more; nothing else in an event has one.
  return { event: withData(event, { ...some.data, data: null }), kept: free.words > 0 }
}

const isFaulty = (event: SessionEvent): boolean => isKnown(event.type) && faultOf(event) !== undefined

/** What may be a word or a number of the format: it is told by the check that fails without it. */
const isWord = (value: string | number): boolean => typeof value === 'number' || /^[a-z_-]{1,24}$/.test(value)

const withData = (event: SessionEvent, data: unknown): SessionEvent =>
  data === event.data ? event : ({ ...event, data } as SessionEvent)

/** Deeper than this a value is not rebuilt: what is hidden in there goes with all of it. */
const deepest = 500

class Hiding {
  readonly #hide: (text: string) => string
  readonly #stays: (value: string | number) => boolean
  /** Words that would have been hidden and stayed. */
  words = 0

  constructor(hide: (text: string) => string, stays: (value: string | number) => boolean) {
    this.#hide = hide
    this.#stays = stays
  }

  /** @returns the same value when nothing in it is hidden. */
  value(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return this.#text(value)
    if (typeof value === 'number') return this.#number(value)
    if (typeof value !== 'object' || value === null) return value
    if (depth > deepest) return this.#anyIn(value) ? null : value
    if (Array.isArray(value)) {
      const items = value.map((item: unknown) => this.value(item, depth + 1))
      return items.some((item, index) => item !== value[index]) ? items : value
    }
    let changed = false
    const fields = Object.entries(value).map(([key, field]: [string, unknown]): [string, unknown] => {
      const safe: [string, unknown] = [this.#hide(key), this.value(field, depth + 1)]
      changed ||= safe[0] !== key || safe[1] !== field
      return safe
    })
    return changed ? Object.fromEntries(fields) : value
  }

  #text(text: string): string {
    const safe = this.#hide(text)
    if (safe === text || !this.#stays(text)) return safe
    this.words++
    return text
  }

  /** A number nobody checks may be a secret too: it then becomes the text that stands for it. */
  #number(value: number): number | string {
    if (this.#stays(value)) return value
    const text = String(value)
    const safe = this.#hide(text)
    return safe === text ? value : safe
  }

  #anyIn(value: object): boolean {
    const open: unknown[] = [value]
    while (open.length > 0) {
      const next = open.pop()
      if (
        typeof next === 'string' ? this.#hide(next) !== next : typeof next === 'number' && this.#number(next) !== next
      )
        return true
      if (typeof next !== 'object' || next === null) continue
      for (const [key, field] of Object.entries(next)) open.push(key, field)
    }
    return false
  }
}

interface Piece {
  readonly seq: number
  readonly index: number
  readonly text: string
}

/** Streamed pieces that only together hold what is to be hidden: the first gets all of the text, the others none. */
function joinedPieces(events: readonly SessionEvent[], hide: (text: string) => string): Map<number, SessionEvent> {
  const rewritten = new Map<number, SessionEvent>()
  for (const pieces of streams(events).values()) {
    const whole = hide(pieces.map(({ text }) => text).join(''))
    if (whole === pieces.map(({ text }) => hide(text)).join('')) continue
    for (const [nth, { seq, index }] of pieces.entries()) {
      const event = rewritten.get(seq) ?? events[seq]
      if (event?.type !== 'assistant/chunks') continue
      const text = nth === 0 ? whole : ''
      const chunks = event.data.chunks.map((chunk, at) =>
        at === index && isObject(chunk) ? { ...chunk, text } : chunk,
      )
      rewritten.set(seq, { ...event, data: { ...event.data, chunks } })
    }
  }
  return rewritten
}

/** The text of each block of each reply, piece by piece. */
function streams(events: readonly SessionEvent[]): Map<string, Piece[]> {
  const found = new Map<string, Piece[]>()
  for (const event of events) {
    if (event.type !== 'assistant/chunks') continue
    for (const [index, chunk] of event.data.chunks.entries()) {
      if (!isObject(chunk) || typeof chunk['text'] !== 'string') continue
      const key = JSON.stringify([event.data.request, chunk['kind'] ?? null, chunk['block'] ?? null])
      const pieces = found.get(key) ?? []
      pieces.push({ seq: event.seq, index, text: chunk['text'] })
      found.set(key, pieces)
    }
  }
  return found
}

const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
