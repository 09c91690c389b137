import type { SessionEvent } from './events/index.ts'
import { endsInHash, faultOfEnvelope, hashPattern, hashRoom, isTooDeep, tailLength } from './line.ts'

/** Where a line of the log stands, before any repair. */
export interface Spot {
  /** Counted from 1. */
  readonly line: number
  /** Bytes of the log before the line. */
  readonly offset: number
}

/** One whole record found in a log; whether it is in its place, and what it means in its format, is not known yet. */
export interface Found extends Spot {
  /** Only its envelope is checked. */
  readonly event: SessionEvent
  /** The record without its line end. */
  readonly text: string
  /** What its hash covers; bytes hold only until the next line is read, and have room for a hash in front. */
  readonly before: string | Uint8Array
  readonly hash: string
  readonly bytes: number
  /** The line's own bytes, where its text is not all they say. */
  readonly raw?: Uint8Array
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
export function recordOf({ text, bytes, at }: { text: string; bytes?: Uint8Array; at: Spot }): Found | undefined {
  if (!endsInHash(text)) return undefined
  const event = parsed(text)
  if (!event) return undefined
  // Bytes that are no UTF-8 would come back as other bytes, so the hash is taken of what the text says.
  const exact = bytes && !text.includes('\uFFFD')
  const before = exact ? bytes.subarray(0, bytes.length - tailLength) : text.slice(0, -tailLength)
  const size = bytes ? bytes.length - hashRoom : utf8Length(text)
  const found = { event, text, before, hash: event.hash, line: at.line, offset: at.offset, bytes: size }
  return bytes && !exact ? { ...found, raw: bytes.slice(hashRoom) } : found
}

/** A record that outlives the buffer its bytes are in. */
export function keepable(found: Found): Found {
  return typeof found.before === 'string' ? found : { ...found, before: found.text.slice(0, -tailLength) }
}

/** A record as it stood in the log. */
export const bytesOf = ({ raw, text }: Found): Uint8Array => raw ?? encoder.encode(text)

/** Every record that stands somewhere in a damaged line, and where. */
export function recordsIn(text: string, at: Spot): { from: number; to: number; found: Found }[] {
  const records: { from: number; to: number; found: Found }[] = []
  let tries = 0
  let from = text.indexOf(start)
  while (from >= 0 && tries < mostTries) {
    const ends = text.slice(from).matchAll(hashPattern)
    let to = from + 1
    for (const end of ends) {
      if (++tries > mostTries) break
      const piece = text.slice(from, from + end.index + end[0].length)
      const found = recordOf({ text: piece, at })
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
    if (faultOfEnvelope(value) !== undefined) return undefined
    const event = value as SessionEvent
    return isTooDeep(event, text) ? undefined : event
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
