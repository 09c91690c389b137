import type { DataOf, SessionEvent } from './events/index.ts'
import type { Failure } from './failure.ts'
import type { NewHasher } from './hasher.ts'
import { chain, encodeLine, faultOf, freeze, splitLine } from './line.ts'
import type { Result } from './store.ts'

type Reason = DataOf<'session/damage'>['reason']

/** Something that could not be read where it stood. */
export interface Damage {
  readonly reason: Reason
  /** 1-based line of the log, before any repair. */
  readonly line: number
  readonly bytes: number
  /** How many events are lost by it; 0 when only bytes were. */
  readonly events: number
}

/** A log as read: every event that can be told, and exactly what could not be. */
export interface ReadLog {
  /** Contiguous from 0; a lost event is a `session/damage` in its place. */
  readonly events: readonly SessionEvent[]
  /** The lines of those events. When `damage` is empty they are the log's own bytes. */
  readonly lines: readonly string[]
  readonly damage: readonly Damage[]
  /** The damaged lines as they were, for the side file. */
  readonly aside: readonly string[]
  /** The only damage is a last line that is not finished: a crash cut it, or it is being written right now. */
  readonly openEnd: boolean
}

/**
 * Read a log from its raw bytes. Nothing readable is thrown away, whatever stands around it.
 * Fails `FORMAT_TOO_NEW` when an event that may not be skipped is of an unknown type.
 */
export async function readLog(
  bytes: AsyncIterable<Uint8Array>,
  options: {
    readonly hasher: NewHasher
    /** Name of the side file that will keep the damaged lines; recorded with the damage. */
    readonly aside?: string
  },
): Promise<Result<ReadLog>> {
  const reader = new LogReader(options.hasher, options.aside)
  let rest = ''
  // One decoder over the whole log: a character may be cut by a block's end. Wrong bytes become U+FFFD and fail the hash.
  const decoder = new TextDecoder('utf-8')
  for await (const block of bytes) {
    const text = rest + decoder.decode(block, { stream: true })
    const end = text.lastIndexOf('\n')
    rest = text.slice(end + 1)
    if (end >= 0) for (const line of text.slice(0, end).split('\n')) reader.line(line)
  }
  rest += decoder.decode()
  if (rest !== '') reader.line(rest)
  return reader.finish(rest !== '')
}

class LogReader {
  readonly #hasher: NewHasher
  readonly #events: SessionEvent[] = []
  readonly #lines: string[] = []
  readonly #damage: Damage[] = []
  readonly #aside: string[] = []
  readonly #asideName: string | undefined
  #number = 0
  /** The hash the next line chains to; undefined where the chain restarts. */
  #previous: string | undefined = ''
  /** Head of a branch that a second writer left behind: what chains to it belongs there. */
  #branch: string | undefined
  #torn = ''
  #tooNew: Failure | undefined

  constructor(hasher: NewHasher, asideName: string | undefined) {
    this.#hasher = hasher
    this.#asideName = asideName
  }

  line(raw: string): void {
    this.#number++
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw
    if (this.#take(line)) return
    if (this.#torn !== '' && this.#take(this.#torn + line)) this.#joined()
    else this.#salvage(line)
  }

  /** @param unended whether the log's last line has no line end. */
  finish(unended: boolean): Result<ReadLog> {
    if (this.#tooNew) return { ok: false, failure: this.#tooNew }
    const [only] = this.#damage
    const openEnd = unended && this.#damage.length === 1 && only?.reason === 'torn' && only.line === this.#number
    this.#declareLostBytes()
    const value = { events: this.#events, lines: this.#lines, damage: this.#damage, aside: this.#aside, openEnd }
    return { ok: true, value }
  }

  /** Accept a line that is whole and in its place. */
  #take(line: string): boolean {
    const parts = splitLine(line)
    const event = parts && parsed(line)
    if (!parts || !event) return false
    if (isUnknown(event)) return this.#unknown(event, line, parts.hash)
    if (faultOf(event) !== undefined || event.seq < this.#events.length) return false
    const linked = this.#previous !== undefined && chain(this.#previous, parts.before, this.#hasher) === parts.hash
    if (event.seq > this.#events.length) this.#fillGap(event.seq)
    else if (!linked && this.#previous !== undefined) return false
    this.#accept(event, line, parts.hash)
    return true
  }

  #accept(event: SessionEvent, line: string, hash: string): void {
    this.#events.push(freeze(event))
    this.#lines.push(line)
    this.#previous = event.type === 'session/damage' ? undefined : hash
    this.#torn = ''
  }

  /** A type this version does not know: kept when it may be skipped, the end of reading when not. */
  #unknown(event: SessionEvent, line: string, hash: string): boolean {
    if (event.seq !== this.#events.length) return false
    if (event.ignorable) this.#accept(event, line, hash)
    else
      this.#tooNew ??= {
        code: 'FORMAT_TOO_NEW',
        message: `event ${event.seq} is of the unknown type ${JSON.stringify(event.type)}; the log was written by rein ${this.#writer()}`,
        next: `Open this session with rein ${this.#writer()} or newer.`,
      }
    return true
  }

  #writer(): string {
    const written = this.#events.findLast((event) => event.type === 'session/start' || event.type === 'session/resume')
    return written ? written.data.rein : '(unknown version)'
  }

  /** A line that does not stand: find what can be told of it, keep the rest aside. */
  #salvage(line: string): void {
    const clean = line.replaceAll('\0', '')
    const bom = clean.startsWith('\uFEFF') ? clean.slice(1) : clean
    if (bom === '' || (bom !== line && this.#take(bom))) this.#note(line.includes('\0') ? 'nul' : 'not-json', line)
    else for (const piece of piecesOf(bom)) this.#piece(piece, line)
  }

  #piece(piece: string, line: string): void {
    if (!this.#take(piece)) this.#reject(piece)
    else if (this.#damage.at(-1)?.line !== this.#number && piece !== line) this.#note('spliced', line)
  }

  #reject(piece: string): void {
    const event = parsed(piece)
    const parts = splitLine(piece)
    if (!event || !parts) {
      this.#torn = piece
      this.#note(event ? 'not-an-event' : 'torn', piece)
    } else if (this.#isBranch(parts.before, parts.hash) || event.seq < this.#events.length) {
      this.#branch = parts.hash
      this.#note('bad-seq', piece)
    } else {
      // Whole but altered, or cut loose from its chain: its content cannot be trusted, its place is known.
      this.#note(faultOf(event) === undefined ? 'broken-chain' : 'not-an-event', piece)
      this.#fillGap(event.seq + 1)
    }
  }

  #isBranch(before: string, hash: string): boolean {
    return this.#branch !== undefined && chain(this.#branch, before, this.#hasher) === hash
  }

  /** The two halves of a record that stood on two lines were reported as torn; nothing was lost after all. */
  #joined(): void {
    this.#damage.pop()
    this.#note('spliced', '')
  }

  #note(reason: Reason, text: string): void {
    this.#damage.push({ reason, line: this.#number, bytes: utf8Length(text), events: 0 })
    if (text !== '') this.#aside.push(text)
  }

  /** One `session/damage` for each event that is not there, each in its place. */
  #fillGap(upTo: number): void {
    const last = this.#damage.at(-1)
    const reason = last && last.line >= this.#number - 1 ? last.reason : 'bad-seq'
    const lost = upTo - this.#events.length
    if (last && last.line >= this.#number - 1 && last.events === 0)
      this.#damage[this.#damage.length - 1] = { ...last, events: lost }
    else this.#damage.push({ reason, line: this.#number, bytes: 0, events: lost })
    while (this.#events.length < upTo) this.#declare({ reason, events: 1, lines: 1, bytes: last?.bytes ?? 0 })
  }

  /** Bytes that stood for no event are declared once, at the end: there is no place to put them in. */
  #declareLostBytes(): void {
    const loose = this.#damage.filter((damage) => damage.events === 0)
    const [first] = loose
    if (!first) return
    const bytes = loose.reduce((sum, damage) => sum + damage.bytes, 0)
    this.#declare({ reason: first.reason, events: 0, lines: loose.length, bytes })
  }

  #declare(found: DataOf<'session/damage'>): void {
    const data = { ...found, ...(this.#asideName !== undefined && { aside: this.#asideName }) }
    const seq = this.#events.length
    const time = this.#events.at(-1)?.time ?? 0
    const draft = { type: 'session/damage', data } as const
    const { line, hash } = encodeLine({ seq, time, previous: this.#previous ?? '' }, draft, this.#hasher)
    this.#events.push(freeze({ seq, time, ...draft, hash }))
    this.#lines.push(line)
    this.#previous = undefined
  }
}

const utf8Length = (text: string): number => new TextEncoder().encode(text).length

function parsed(line: string): SessionEvent | undefined {
  if (!line.startsWith('{"seq":')) return undefined
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as SessionEvent) : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

const isUnknown = (event: SessionEvent): boolean =>
  faultOf(event) === `type ${JSON.stringify(event.type)} is not known` && typeof event.data === 'object'

/** Where several records share a line, each from its own start. */
function piecesOf(line: string): string[] {
  const starts: number[] = []
  for (let at = line.indexOf('{"seq":'); at >= 0; at = line.indexOf('{"seq":', at + 1)) starts.push(at)
  if (starts.length === 0) return [line]
  const cuts = starts[0] === 0 ? starts : [0, ...starts]
  return cuts.map((start, index) => line.slice(start, cuts[index + 1]))
}
