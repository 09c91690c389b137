/** The beginning and the end of a long text, in bounded memory. Limits are UTF-8 bytes. */
export class HeadTail {
  readonly #head: Buffer[] = []
  #tail: Buffer[] = []
  #headBytes = 0
  #tailBytes = 0
  #bytes = 0
  #lines = 0
  readonly #limit: { readonly head: number; readonly tail: number }

  constructor(limit: { readonly head: number; readonly tail: number }) {
    this.#limit = limit
  }

  /** Everything pushed so far, in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether something has been left out. */
  get cut(): boolean {
    return this.#bytes > this.#limit.head + this.#limit.tail
  }

  push(text: string): void {
    let bytes = Buffer.from(text)
    this.#bytes += bytes.length
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.#lines++
    const room = this.#limit.head - this.#headBytes
    if (room > 0) {
      const end = room < bytes.length ? pointStart(bytes, room, -1) : bytes.length
      this.#head.push(bytes.subarray(0, end))
      // A code point that did not fit closes the head.
      this.#headBytes = end < bytes.length ? this.#limit.head : this.#headBytes + end
      bytes = bytes.subarray(end)
    }
    if (bytes.length > 0) this.#addToTail(bytes)
  }

  /** Everything held. It is everything pushed as long as nothing is `cut`. */
  held(): string {
    return Buffer.concat([...this.#head, ...this.#tail]).toString()
  }

  /** The text, or its two ends with `gap` between them, told how much is missing; cut at line ends where one is near. */
  text(gap: (left: { readonly bytes: number; readonly lines: number }) => string): string {
    if (!this.cut) return this.held()
    const head = atLineEnd(Buffer.concat(this.#head).toString())
    const all = Buffer.concat(this.#tail)
    const tail = atLineStart(all.subarray(pointStart(all, Math.max(0, all.length - this.#limit.tail), 1)).toString())
    const shown = head + tail
    const bytes = this.#bytes - Buffer.byteLength(shown)
    const note = gap({ bytes, lines: this.#lines - shown.split('\n').length + 1 })
    return `${head}${head.endsWith('\n') ? '' : '\n'}${note}\n${tail}`
  }

  /** Keeps up to twice the limit, so that what falls out is dropped in large pieces. */
  #addToTail(bytes: Buffer): void {
    this.#tail.push(bytes)
    this.#tailBytes += bytes.length
    if (this.#tailBytes <= 2 * this.#limit.tail || !this.cut) return
    const all = Buffer.concat(this.#tail)
    // A copy: a slice would keep the whole of it alive.
    const kept = Buffer.from(all.subarray(all.length - this.#limit.tail))
    this.#tail = [kept]
    this.#tailBytes = kept.length
  }
}

/** How far a cut may move to fall between two lines, in UTF-16 units. */
const NEAR = 400

function atLineEnd(head: string): string {
  const end = head.lastIndexOf('\n') + 1
  return end > 0 && head.length - end <= NEAR ? head.slice(0, end) : head
}

function atLineStart(tail: string): string {
  const end = tail.indexOf('\n') + 1
  return end > 0 && end <= NEAR ? tail.slice(end) : tail
}

/** The nearest start of a code point at or after (`by` 1) or before (`by` -1) `at`. */
function pointStart(bytes: Buffer, at: number, by: 1 | -1): number {
  let start = at
  while (start >= (by < 0 ? 1 : 0) && start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += by
  return start
}
