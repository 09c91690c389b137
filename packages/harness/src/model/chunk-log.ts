import type { Json, SessionLog } from '@rein/session'
import type { Chunk } from './chunk.ts'
import type { Provider } from './provider.ts'

/** Hides secrets in what comes in pieces. */
export interface PieceRedaction {
  text(text: string): string
  content<T>(content: T): T
  /** From where on the end of a text may be the beginning of a secret. */
  openEnd(text: string): number
}

export interface ChunkLogOptions {
  readonly log: Pick<SessionLog, 'append' | 'poison'>
  /** Milliseconds; the session's clock. */
  readonly now: () => number
  readonly redact: PieceRedaction
}

/** Shortest time between two batches of one request, in milliseconds: at most ten a second. */
const shortestMs = 100
/** A batch with less text than this waits longer: an event of its own costs more than a few words. In UTF-16 units. */
const enough = 200
/** Longest time anything waits, in milliseconds: what a crash may take, and how late a follower reads. */
export const longestMs = 300

type Kept = Extract<Chunk, { block: number }>
type Piece = Extract<Kept, { text: string }>
type Opener = Exclude<Kept, Piece>
/** Pieces that came piece by piece; what follows without a break is put behind it. */
interface Pieces {
  readonly ms: number
  readonly kind: Piece['kind']
  readonly block: number
  readonly signature?: string
  text: string
}
/** A chunk, and how many milliseconds after the request it came: of pieces put together, the first of them. */
type Entry = Pieces | (Opener & { readonly ms: number })

/**
 * The same provider, each of whose replies is written to the log as `assistant/chunks` while it streams: what came of a
 * reply is there after a crash, and whoever follows the log reads it as it comes. Nothing is delayed by it.
 */
export const recorded = (provider: Provider, options: ChunkLogOptions): Provider => ({
  name: provider.name,
  dialect: provider.dialect,
  facts: (model) => provider.facts(model),
  async *stream(request, signal) {
    const recording = new Recording(request.id, options)
    const stop = () => recording.end()
    // What a cancelled call leaves must be written before its settlement, whether the provider stops or not.
    signal.addEventListener('abort', stop)
    try {
      for await (const chunk of provider.stream(request, signal)) {
        recording.push(chunk)
        yield chunk
      }
    } finally {
      signal.removeEventListener('abort', stop)
      recording.end()
    }
  },
})

/** The blocks of one reply as they come. Usage, finish and failure stand in the settlement and are not kept twice. */
class Recording {
  readonly #request: string
  readonly #options: ChunkLogOptions
  readonly #started: number
  #last: number
  #pending: Entry[] = []
  #size = 0
  /** Ends of texts that may be the beginning of a secret, by kind and block. */
  readonly #held = new Map<string, string>()
  readonly #opened = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #over = false

  constructor(request: string, options: ChunkLogOptions) {
    this.#request = request
    this.#options = options
    this.#started = options.now()
    this.#last = this.#started
  }

  push(chunk: Chunk): void {
    if (this.#over) return
    if ('block' in chunk) this.#add(chunk)
    else if (chunk.kind === 'finish' || chunk.kind === 'failed') this.end()
  }

  /** Write what is left. Idempotent; nothing is kept behind it. */
  end(): void {
    if (this.#over) return
    this.#over = true
    this.#write()
  }

  #add(chunk: Kept): void {
    const now = this.#options.now()
    const before = this.#pending.at(-1)
    if ('text' in chunk) this.#size += chunk.text.length
    if (before && 'text' in chunk && joins(before, chunk)) before.text += chunk.text
    else this.#pending.push({ ms: Math.max(0, now - this.#started), ...chunk })
    // A clock that was set back is gone on with as it is.
    this.#last = Math.min(this.#last, now)
    if (now - this.#last >= (this.#size >= enough ? shortestMs : longestMs)) {
      this.#last = now
      this.#write()
    } else this.#timer ??= setTimeout(() => this.#due(), longestMs - (now - this.#last)).unref()
  }

  #due(): void {
    this.#last = this.#options.now()
    this.#write()
  }

  #write(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const chunks = this.#pending.flatMap((entry) => this.#safe(entry))
    this.#pending = []
    this.#size = 0
    if (this.#over) for (const key of this.#held.keys()) chunks.push(...this.#rest(key))
    // A log that cannot be written any more stops the turn by itself.
    if (chunks.length === 0 || this.#options.log.poison) return
    this.#options.log.append('assistant/chunks', { request: this.#request, chunks: chunks.map(asJson) })
  }

  #safe(entry: Entry): readonly Entry[] {
    if (!('text' in entry)) return this.#safeOpener(entry)
    const { redact } = this.#options
    const { signature } = entry
    const key = `${entry.kind} ${entry.block}`
    const text = (this.#held.get(key) ?? '') + entry.text
    const end = redact.openEnd(text)
    this.#held.set(key, text.slice(end))
    // The first entry of a block says where in the reply it stands, even when all of its text waits.
    if (end === 0 && this.#opened.has(key) && signature === undefined) return []
    this.#opened.add(key)
    const safe = { ...entry, text: redact.text(text.slice(0, end)) }
    return [signature === undefined ? safe : { ...safe, signature: redact.text(signature) }]
  }

  #safeOpener(entry: Exclude<Entry, Pieces>): readonly Entry[] {
    const { redact } = this.#options
    switch (entry.kind) {
      case 'close':
        return [...this.#restOf(entry), entry]
      case 'private':
        return [{ ...entry, data: redact.content(entry.data) }]
      case 'call': {
        const { id, name, ...place } = entry
        return [
          { ...place, ...redact.content({ ...(id !== undefined && { id }), ...(name !== undefined && { name }) }) },
        ]
      }
    }
  }

  #restOf({ block }: { readonly block: number }): readonly Entry[] {
    return (['text', 'reasoning', 'arguments'] as const).flatMap((kind) => this.#rest(`${kind} ${block}`))
  }

  #rest(key: string): readonly Entry[] {
    const text = this.#held.get(key) ?? ''
    this.#held.delete(key)
    if (text === '') return []
    const [kind, block] = key.split(' ') as [Pieces['kind'], string]
    const ms = Math.max(0, this.#last - this.#started)
    return [{ ms, kind, block: Number(block), text: this.#options.redact.text(text) }]
  }
}

const joins = (before: Entry, chunk: Kept): before is Pieces =>
  'text' in before && before.kind === chunk.kind && before.block === chunk.block && !('signature' in chunk)

const asJson = (entry: Entry): Json => ({ ...entry })
