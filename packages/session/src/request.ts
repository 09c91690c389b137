import { Blocks } from './blocks.ts'
import { type Encoding, encoderFor, type ReadBlob } from './dialect/encoder.ts'
import type { Content } from './events/content.ts'
import type { DataOf, MessageEvent, SessionEvent } from './events/index.ts'
import type { Header, Repair } from './events/request.ts'
import type { Failure } from './failure.ts'
import { breakOf, type Surface } from './folds/surface.ts'
import type { Hasher, NewHasher } from './hasher.ts'
import type { SharedList } from './shared.ts'
import type { Result } from './store.ts'

/** What a request is derived from: the surface after event `at` under a header, plus a side request's instruction. */
export interface Derivable {
  readonly surface: Surface
  readonly header: Header
  /** Seq of the header's event. */
  readonly headerSeq: number
  readonly at: number
  readonly extra: readonly Content[] | null
}

/** A frozen request body. Nobody edits it: append an event and derive again. */
export interface DerivedRequest {
  /** Never joined; empty when the derivation was made to compare hashes only. */
  readonly body: readonly Uint8Array[]
  readonly bytes: number
  readonly sha256: string
  readonly repairs: readonly Repair[]
  readonly broke?: { readonly event: number; readonly owner: string }
}

interface Memo {
  readonly headerSeq: number
  readonly messages: SharedList<MessageEvent>
  readonly encoding: Encoding
  readonly at: number
  /** Results the last body ended in that were made up for it: the walk itself does not hold them. */
  readonly closing: string
}

/** Head and messages of a body, made-up results included: what the next body begins with unless something broke it. */
interface Front {
  readonly bytes: number
  readonly hash: Hasher
}

const utf8 = new TextEncoder()

/**
 * Derives the requests of one session, each continuing from the one before: a step costs what is new. The memo is
 * only speed; a derivation without one gives the same bytes (a property test), and `verify` is one.
 */
export class Derivation {
  readonly #hasher: NewHasher
  readonly #blob: ReadBlob
  readonly #keep: boolean
  #memo: Memo | undefined
  #blocks = new Blocks()
  readonly #room = new Uint8Array(64 * 1024)
  #bytes = 0
  #hash: Hasher
  #repairs = 0
  /** The front of the body before, and whether this body begins with it. */
  #front: Front | undefined
  #kept = true

  /** @param options.keep false: hash only, keep no bodies. */
  constructor(options: { hasher: NewHasher; blob: ReadBlob; keep: boolean }) {
    this.#hasher = options.hasher
    this.#blob = options.blob
    this.#keep = options.keep
    this.#hash = options.hasher()
  }

  /** @param events the log, to name the event that moved the front. */
  derive(from: Derivable, events: readonly SessionEvent[]): Result<DerivedRequest> {
    const encoder = encoderFor(from.header)
    if (!encoder) return { ok: false, failure: unknownEncoder(from.header) }
    const before = this.#memo
    const goesOn =
      before?.headerSeq === from.headerSeq && before.closing === '' && from.surface.messages.extends(before.messages)
    this.#compareWith(before && !goesOn ? this.#frontOf(before) : undefined)
    const encoding = goesOn ? before.encoding : this.#restart(encoder(from.header, this.#blob))
    for (let index = goesOn ? before.messages.length : 0; index < from.surface.messages.length; index++) {
      const message = from.surface.messages.at(index)
      if (message) this.#add(encoding.message(message))
    }
    const closing = encoding.closing()
    this.#compare(utf8.encode(closing.text))
    const repairs = [...encoding.repairs.slice(this.#repairs), ...closing.repairs]
    this.#repairs = encoding.repairs.length
    const broke = before && !this.#kept ? this.#cause(before, from, events) : undefined
    const { headerSeq, at, surface } = from
    this.#memo = { headerSeq, messages: surface.messages, encoding, at, closing: closing.text }
    return { ok: true, value: this.#finish({ encoding, from, closing: closing.text, repairs, broke }) }
  }

  /** Of the body before: nothing was added to it since. */
  #frontOf({ closing }: Memo): Front {
    const end = utf8.encode(closing)
    return { bytes: this.#bytes + end.length, hash: this.#hash.copy().update(end) }
  }

  #cause(before: Memo, from: Derivable, events: readonly SessionEvent[]) {
    if (before.headerSeq !== from.headerSeq) return { event: from.headerSeq, owner: 'header' }
    return (
      breakOf(events, before.at, from.at) ?? { event: from.at, owner: before.closing === '' ? 'surface' : 'validator' }
    )
  }

  #restart(encoding: Encoding): Encoding {
    this.#blocks = new Blocks()
    this.#bytes = 0
    this.#hash = this.#hasher()
    this.#repairs = 0
    this.#add(encoding.head)
    return encoding
  }

  #add(text: string): void {
    if (text === '') return
    const bytes = this.#encoded(text)
    this.#compare(bytes)
    this.#hash.update(bytes)
    this.#bytes += bytes.length
    if (this.#keep) this.#blocks.add(bytes)
  }

  /** Good until the next call: memory of its own for every message is most of what hashing a long log would cost. */
  #encoded(text: string): Uint8Array {
    if (text.length * 3 > this.#room.length) return utf8.encode(text)
    return this.#room.subarray(0, utf8.encodeInto(text, this.#room).written)
  }

  /** @param front what the body is compared with as it grows: told by its bytes, not by what changed in the log. */
  #compareWith(front: Front | undefined): void {
    this.#front = front
    this.#kept = front === undefined
  }

  /** @param next what the body goes on with: once it reaches the length of the front before, both are compared. */
  #compare(next: Uint8Array): void {
    if (!this.#front || this.#bytes + next.length < this.#front.bytes) return
    const part = next.subarray(0, this.#front.bytes - this.#bytes)
    this.#kept = this.#front.hash.copy().digest() === this.#hash.copy().update(part).digest()
    this.#front = undefined
  }

  #finish(made: {
    encoding: Encoding
    from: Derivable
    closing: string
    repairs: readonly Repair[]
    broke: { event: number; owner: string } | undefined
  }): DerivedRequest {
    const { encoding, from } = made
    const extra = from.extra === null ? '' : encoding.extra(from.extra)
    const end = utf8.encode(made.closing + extra + encoding.tail)
    return Object.freeze({
      body: this.#keep ? Object.freeze([...this.#blocks.list(), end]) : [],
      bytes: this.#bytes + end.length,
      sha256: this.#hash.copy().update(end).digest(),
      repairs: made.repairs,
      ...(made.broke && { broke: made.broke }),
    })
  }
}

const unknownEncoder = (header: Header): Failure => ({
  code: 'FORMAT_TOO_NEW',
  message: `the log names the encoder ${header.dialect}/${header.encoder}, which this version does not have`,
  next: 'Use the version of rein that wrote this session, or a newer one.',
})

/** Whether two headers give the same bytes, so that no new event is owed. Compared as JSON, key order included. */
export const sameHeader = (a: Header, b: Header): boolean => a === b || (sameTools(a.tools, b.tools) && sameRest(a, b))

/** Tools are most of a header, and a new header is made with those of the last one. */
const sameTools = (a: Header['tools'], b: Header['tools']): boolean =>
  a.length === b.length && a.every((tool, at) => tool === b[at] || JSON.stringify(tool) === JSON.stringify(b[at]))

const sameRest = (a: Header, b: Header): boolean =>
  JSON.stringify({ ...a, tools: [] }) === JSON.stringify({ ...b, tools: [] })

/** What `request/sent` records of a derived request. */
export function sentRecord(
  from: Derivable,
  derived: DerivedRequest,
  as: { id: string; kind: DataOf<'request/sent'>['kind'] },
): DataOf<'request/sent'> {
  const { sha256, bytes, repairs, broke } = derived
  const { at, headerSeq, extra } = from
  return { ...as, at, header: headerSeq, extra, sha256, bytes, repairs, ...(broke && { broke }) }
}
