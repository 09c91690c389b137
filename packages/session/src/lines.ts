import { hashRoom } from './line.ts'
import { textOf } from './records.ts'

const lineEnd = 10

/**
 * Bytes that are decoded at once. Lines cut from one long text are no copies, and one buffer serves for all of them:
 * both spare the garbage collector most of its work. The text lives as long as its lines do.
 */
const stretch = 1 << 16

/**
 * Cuts a stream of bytes into lines. `bytes` of a line hold only until the next one is taken, and have room for a hash
 * in front of them, which may be overwritten: what stands there was taken before.
 */
export class Lines {
  readonly #take: (bytes: Uint8Array, text: string) => void
  #buffer = new Uint8Array(2 * stretch)
  #size = hashRoom

  constructor(take: (bytes: Uint8Array, text: string) => void) {
    this.#take = take
  }

  add(block: Uint8Array): void {
    for (let from = 0; from < block.length; from += stretch) this.#add(block.subarray(from, from + stretch))
  }

  #add(block: Uint8Array): void {
    if (this.#size + block.length > this.#buffer.length) this.#grow(this.#size + block.length)
    this.#buffer.set(block, this.#size)
    this.#size += block.length
    if (this.#size < stretch || !block.includes(lineEnd)) return
    const rest = this.#buffer.lastIndexOf(lineEnd, this.#size - 1) + 1
    this.#cut(rest)
    this.#buffer.copyWithin(hashRoom, rest, this.#size)
    this.#size -= rest - hashRoom
  }

  /** @returns whether the last line has no line end. */
  end(): boolean {
    const unended = this.#size > hashRoom && this.#buffer[this.#size - 1] !== lineEnd
    this.#cut(this.#size)
    this.#size = hashRoom
    return unended
  }

  #grow(needed: number): void {
    const larger = new Uint8Array(2 * needed)
    larger.set(this.#buffer.subarray(0, this.#size))
    this.#buffer = larger
  }

  #cut(upTo: number): void {
    const whole = this.#buffer.subarray(hashRoom, upTo)
    const text = textOf(whole)
    for (let from = 0, at = 0; from < text.length; ) {
      const end = text.indexOf('\n', from)
      const textEnd = end < 0 ? text.length : end
      // A line has at least as many bytes as characters, and its end is the first such byte: mostly exactly there.
      const found = whole.indexOf(lineEnd, at + textEnd - from)
      const bytesEnd = found < 0 ? whole.length : found
      this.#take(this.#buffer.subarray(at, bytesEnd + hashRoom), text.slice(from, textEnd))
      from = textEnd + 1
      at = bytesEnd + 1
    }
  }
}
