import type { Damage } from './damage.ts'
import { beginsRecord, type Found, recordsIn, type Spot, utf8Length } from './records.ts'

/** What was lost, as it is counted while a log is read; the reader says later which event it stood for. */
export type Note = { -readonly [K in keyof Damage]: Damage[K] }

/** What came of a line that is no record. */
export interface Salvaged {
  readonly records: readonly Found[]
  /** What in the line is not part of any of them. */
  readonly note: Note
  /** Notes of earlier lines that turned out to be parts of one of these records. */
  readonly settled: readonly Note[]
}

/** A record may be spread over this many lines; more are not put together. */
const mostPieces = 8

/** Finds the records in lines that are no record from end to end: several on one, one on several, or among rubbish. */
export class Salvage {
  #fragment: { readonly text: string; readonly notes: readonly Note[] } | undefined

  /** A whole line came: whatever was begun before it has no end. */
  clear(): void {
    this.#fragment = undefined
  }

  take(line: { readonly text: string; readonly bytes: number; readonly at: Spot }): Salvaged {
    // No record holds a NUL: JSON escapes it. What is left when they are gone must still agree with its hash.
    const text = line.text.replaceAll('\0', '')
    const whole = this.#completed(text, line.at)
    if (whole) return whole
    const places = recordsIn(text, line.at)
    const records = places.map(({ found }) => found)
    // A byte that is no UTF-8 is told as three in a record's text.
    const bytes = Math.max(0, line.bytes - size(records))
    const note: Note = { reason: reasonOf(line.text, text, records.length), ...line.at, bytes, events: 0 }
    this.#begin(text.slice(places.at(-1)?.to ?? 0), note, records.length > 0)
    return { records, note, settled: [] }
  }

  /** A record that stands on several lines is whole again when they are joined; only line ends were added to it. */
  #completed(text: string, at: Spot): Salvaged | undefined {
    if (!this.#fragment) return undefined
    const joined = this.#fragment.text + text
    const places = recordsIn(joined, at)
    if (places[0]?.from !== 0) return undefined
    const records = places.map(({ found }) => found)
    const note: Note = { reason: 'spliced', ...at, bytes: utf8Length(joined) - size(records), events: 0 }
    const settled = this.#fragment.notes
    this.#begin(joined.slice(places.at(-1)?.to), note, true)
    return { records, note, settled }
  }

  #begin(rest: string, note: Note, fresh: boolean): void {
    const before = fresh ? undefined : this.#fragment
    if (beginsRecord(rest)) this.#fragment = { text: rest, notes: [note] }
    else if (before && before.notes.length < mostPieces)
      this.#fragment = { text: before.text + rest, notes: [...before.notes, note] }
    else this.#fragment = undefined
  }
}

const size = (records: readonly Found[]): number => records.reduce((sum, { bytes }) => sum + bytes, 0)

function reasonOf(line: string, text: string, records: number): Damage['reason'] {
  if (text.length < line.length) return 'nul'
  if (records > 0) return 'spliced'
  return beginsRecord(text) ? 'torn' : 'not-json'
}
