import type { SessionEvent } from './events/index.ts'
import { endsInHash, faultOf, faultOfEnvelope, format, hashPattern, hashRoom, isKnown, tailLength } from './line.ts'

/** One whole record found in a log; whether it is in its place is not known yet. */
export interface Found {
  readonly event: SessionEvent
  /** The record without its line end. */
  readonly text: string
  /** What its hash covers; bytes hold only until the next line is read, and have room for a hash in front. */
  readonly before: string | Uint8Array
  readonly hash: string
  /** 1-based line of the log it was found in. */
  readonly line: number
  readonly bytes: number
  /** Why it cannot be an event of this format, or undefined. */
  readonly fault: string | undefined
}

const start = '{"seq":'
/** A damaged line may hold anything; no more than this many places are tried in one. */
const mostTries = 256

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const encoder = new TextEncoder()

export const utf8Length = (text: string): number => encoder.encode(text).length

/** The text of a line's bytes. Wrong bytes become U+FFFD and fail the hash. */
export const textOf = (bytes: Uint8Array): string => decoder.decode(bytes)

/**
 * A line that is one record from end to end, or undefined.
 * @param line its `bytes` have room for a hash in front of them; without them they are those of its text.
 */
export function recordOf(line: { text: string; bytes?: Uint8Array; number: number }): Found | undefined {
  const { text, bytes, number } = line
  if (!endsInHash(text)) return undefined
  const event = parsed(text)
  if (!event) return undefined
  // Bytes that are no UTF-8 would come back as other bytes, so the hash is taken of what the text says.
  const exact = bytes && !text.includes('\uFFFD')
  const before = exact ? bytes.subarray(0, bytes.length - tailLength) : text.slice(0, -tailLength)
  const size = bytes ? bytes.length - hashRoom : utf8Length(text)
  return { event, text, before, hash: event.hash, line: number, bytes: size, fault: faultOfKnown(event) }
}

/** A record that outlives the buffer its bytes are in. */
export function keepable(found: Found): Found {
  return typeof found.before === 'string' ? found : { ...found, before: found.text.slice(0, -tailLength) }
}

/** Every record that stands somewhere in a damaged line, and where. */
export function recordsIn(text: string, number: number): { from: number; to: number; found: Found }[] {
  const records: { from: number; to: number; found: Found }[] = []
  let tries = 0
  let from = text.indexOf(start)
  while (from >= 0 && tries < mostTries) {
    const ends = text.slice(from).matchAll(hashPattern)
    let to = from + 1
    for (const end of ends) {
      if (++tries > mostTries) break
      const piece = text.slice(from, from + end.index + end[0].length)
      const found = recordOf({ text: piece, number })
      if (!found) continue
      to = from + piece.length
      records.push({ from, to, found })
      break
    }
    from = text.indexOf(start, to)
    tries++
  }
  return records
}

/** Whether a text may be the beginning of a record whose end is elsewhere. */
export const beginsRecord = (text: string): boolean => text.startsWith(start)

function parsed(text: string): SessionEvent | undefined {
  if (!text.startsWith(start)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return faultOfEnvelope(value) === undefined ? (value as SessionEvent) : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** A type or a format of a newer version is no fault here: what it means is decided where the record has its place. */
function faultOfKnown(event: SessionEvent): string | undefined {
  return !isKnown(event.type) || isNewer(event) ? undefined : faultOf(event)
}

/** Whether the log says that it is of a format this version does not read. */
export const isNewer = (event: SessionEvent): boolean => event.type === 'session/start' && event.data.format > format
