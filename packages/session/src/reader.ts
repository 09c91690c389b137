import type { Damage, ReadLog, ReadOptions } from './damage.ts'
import type { SessionEvent } from './events/index.ts'
import type { Failure } from './failure.ts'
import { chain, hashRoom } from './line.ts'
import { LogFormat } from './log-format.ts'
import { Placed } from './placed.ts'
import { bytesOf, type Found, keepable, recordOf, type Spot } from './records.ts'
import { type Note, Salvage } from './salvage.ts'
import type { Result } from './store.ts'

type Reason = Damage['reason']

/** More events than this are not believed to be missing between two records. */
const mostLost = 100_000
/** No record is shorter, in bytes: how many events an unreadable stretch may have held. */
const leastLine = 100

/**
 * Puts the records of a log in their places. While every record follows the one before, each is taken as it comes. From
 * the first that does not, records wait until the end of the log: only then is it known what is missing and what was
 * merely moved, doubled or written by a second writer.
 */
export class LogReader {
  readonly #placed: Placed
  /** Those that have their places. */
  readonly #events: readonly SessionEvent[]
  #damage: Note[] = []
  readonly #aside: Uint8Array[] = []
  readonly #options: ReadOptions
  readonly #held = new Map<number, Found[]>()
  #number = 0
  /** Bytes before the line that is next. */
  #offset = 0
  readonly #format: LogFormat
  /** Line of the last record in its place, and the first note that may explain a gap behind it. */
  #lastLine = 0
  #nextNote = 0
  /** Last hash of what a second writer left behind: what follows it is not of this log. */
  #branch: string | undefined
  readonly #salvage = new Salvage()
  #tooNew: Failure | undefined

  constructor(options: ReadOptions) {
    this.#options = options
    this.#placed = new Placed(options)
    this.#events = this.#placed.events
    this.#format = new LogFormat(options.formats)
  }

  /** The next line of the log, without its LF, as text and as bytes with room for a hash in front. */
  line(rawBytes: Uint8Array, rawText: string): void {
    const at: Spot = { line: ++this.#number, offset: this.#offset }
    this.#offset += rawBytes.length - hashRoom + 1
    const ended = rawText.endsWith('\r')
    const bytes = ended ? rawBytes.subarray(0, -1) : rawBytes
    const text = ended ? rawText.slice(0, -1) : rawText
    if (text === '') return
    const found = recordOf({ text, bytes, at })
    if (found) {
      this.#salvage.clear()
      this.#arrive(found)
    } else {
      this.#aside.push(rawBytes.slice(hashRoom))
      this.#scavenge({ text, bytes: bytes.length - hashRoom, at })
    }
  }

  /** @param unended whether the log's last line has no line end. */
  finish(unended: boolean): Result<ReadLog> {
    if (!this.#tooNew) this.#placeHeld()
    if (this.#tooNew) return { ok: false, failure: this.#tooNew }
    const damage = this.#damage.sort((a, b) => a.line - b.line)
    const [only] = damage
    const torn = damage.length === 1 && only?.reason === 'torn' && only.events === 0 && only.line === this.#number
    this.#declareLostBytes()
    this.#placed.close()
    const value = {
      events: this.#events,
      damage,
      aside: this.#aside,
      openEnd: unended && torn,
      format: this.#format.number,
    }
    return { ok: true, value }
  }

  #arrive(found: Found): void {
    const due = this.#events.length
    if (this.#held.size === 0 && found.event.seq === due && this.#fits(found)) {
      this.#accept(found)
      return
    }
    this.#hold(keepable(found))
  }

  #hold(found: Found): void {
    const due = this.#events.length
    // A digit of its seq was altered when it follows under the seq that is due; then that is the event that is lost.
    const asDue = (this.#held.size === 0 || found.event.seq < due) && this.#fitsAs(found, due)
    const place = asDue ? due : found.event.seq
    const waiting = this.#held.get(place)
    // A hash covers its record and all before it: whatever carries the same one is that record again, or a spoiled copy.
    const known = this.#events[place]?.hash === found.hash
    if (known || waiting?.some(({ text }) => text === found.text)) this.#spare(found)
    else if (place < due || this.#chain(this.#branch ?? '-', found.before) === found.hash) this.#stray(found)
    else if (waiting) waiting.push(found)
    else this.#held.set(place, [found])
    this.#release()
  }

  /** What was held for a record that came late goes in behind it; nothing is lost by that. */
  #release(): void {
    const due = this.#events.length
    for (let next = this.#held.get(due); next; next = this.#held.get(this.#events.length)) {
      const fit = next.find((found) => this.#fits(found))
      if (!fit) return
      if (fit.line === this.#number) this.#note('bad-seq', fit, 0)
      this.#held.delete(this.#events.length)
      this.#accept(fit)
      for (const other of next) if (other !== fit) this.#stray(other)
    }
  }

  #placeHeld(): void {
    for (const seq of [...this.#held.keys()].sort((a, b) => a - b)) {
      const waiting = this.#held.get(seq) ?? []
      this.#held.delete(seq)
      const [first] = waiting
      const plausible = first !== undefined && this.#isPlausible(seq, waiting)
      while (plausible && this.#events.length < seq) this.#lose(first)
      const fit = waiting.find((found) => this.#fits(found))
      if (fit) this.#accept(fit)
      else if (plausible) this.#lose(first, first)
      const placed = fit ?? (plausible ? first : undefined)
      for (const other of waiting) if (other !== placed) this.#stray(other)
    }
  }

  /** Whether events are missing before this one, or its seq is what is wrong. */
  #isPlausible(seq: number, waiting: readonly Found[]): boolean {
    const gap = seq - this.#events.length
    if (gap <= 1) return true
    const last = waiting.at(-1)?.line ?? 0
    let bytes = 0
    for (const note of this.#damage.slice(this.#nextNote)) if (note.line <= last) bytes += note.bytes
    if (gap <= 1 + bytes / leastLine) return true
    const followers = this.#held.get(seq + 1) ?? []
    const confirmed = waiting.some(({ hash }) => followers.some((next) => this.#chain(hash, next.before) === next.hash))
    return confirmed && gap <= mostLost
  }

  /** In its place, tied to the record before it, and of a format this version reads. */
  #fits(found: Found): boolean {
    if (found.event.seq !== this.#events.length || this.#faultOf(found) !== undefined) return false
    if (this.#placed.follows(found.before, found.hash)) return true
    return this.#placed.vouchesFor(found, () => !this.#format.refusal(this.#eventOf(found), this.#events))
  }

  #fitsAs({ event, text, hash }: Found, seq: number): boolean {
    if (event.seq === seq || this.#placed.restarted) return false
    const before = text.slice(0, text.lastIndexOf(',"hash":"')).replace(/^\{"seq":[^,]*/, `{"seq":${seq}`)
    return this.#placed.follows(before, hash)
  }

  #eventOf({ event }: Found): SessionEvent {
    return this.#format.eventOf(event, this.#events.length === 0)
  }

  #faultOf(found: Found): string | undefined {
    return this.#format.faultOf(this.#eventOf(found))
  }

  #chain(previous: string, before: string | Uint8Array): string {
    return chain(previous, before, this.#options.hasher)
  }

  #accept(found: Found): void {
    const event = this.#eventOf(found)
    this.#tooNew ??= this.#format.refusal(event, this.#events)
    if (this.#tooNew) return
    this.#placed.add(event, found)
    this.#lastLine = found.line
  }

  /** A line that is no record: its records are taken, and the rest is counted. */
  #scavenge(line: { readonly text: string; readonly bytes: number; readonly at: Spot }): void {
    const { records, note, settled } = this.#salvage.take(line)
    if (settled.length > 0) this.#damage = this.#damage.filter((other) => !settled.includes(other))
    this.#damage.push(note)
    for (const found of records) this.#arrive(found)
  }

  /** Written by somebody else, or with a place that is taken. */
  #stray(found: Found): void {
    // Whole where it says it stands, or behind such a one: else its place is what is spoiled, and no one wrote beside us.
    const before = [this.#events[found.event.seq - 1]?.hash ?? '', this.#branch ?? '-']
    if (before.some((hash) => this.#chain(hash, found.before) === found.hash)) this.#branch = found.hash
    this.#spare(found)
  }

  #spare(found: Found): void {
    this.#note('bad-seq', found, found.bytes)
    this.#aside.push(bytesOf(found))
  }

  #note(reason: Reason, { line, offset }: Spot, bytes: number): Note {
    const note = { reason, line, offset, bytes, events: 0 }
    this.#damage.push(note)
    return note
  }

  /** The event that is due is lost: by the record in its place, by unreadable bytes before `at`, or without a trace. */
  #lose(at: Spot, found?: Found): void {
    const trace = found ? undefined : this.#traceBefore(at.line)
    const fault: Reason = found && this.#faultOf(found) !== undefined ? 'not-an-event' : 'broken-chain'
    const note = trace ?? this.#note(found ? fault : 'bad-seq', at, found?.bytes ?? 0)
    note.events = 1
    if (found) {
      this.#aside.push(bytesOf(found))
      this.#lastLine = found.line
    }
    this.#placed.declare({ reason: note.reason, events: 1, lines: 1, bytes: note.bytes })
  }

  #traceBefore(line: number): Note | undefined {
    for (let note = this.#damage[this.#nextNote]; note && note.line <= line; note = this.#damage[this.#nextNote]) {
      this.#nextNote++
      if (note.events === 0 && note.line >= this.#lastLine && note.reason !== 'bad-seq') return note
    }
    return undefined
  }

  /** Bytes that stood for no event are declared once, at the end: there is no place to put them in. */
  #declareLostBytes(): void {
    const loose = this.#damage.filter((damage) => damage.events === 0)
    const [first] = loose
    if (!first) return
    const bytes = loose.reduce((sum, damage) => sum + damage.bytes, 0)
    this.#placed.declare({ reason: first.reason, events: 0, lines: loose.length, bytes })
  }
}
