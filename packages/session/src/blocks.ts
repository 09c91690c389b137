/** Bytes of one block; a single text that is longer has a block of its own. */
const blockSize = 64 * 1024

/**
 * The bytes of a body as it grows, in few blocks: what it costs to hand out, send or compare a body then depends on
 * its bytes and not on how many messages it has. Adding copies what is new; nothing is ever joined.
 */
export class Blocks {
  readonly #full: Uint8Array[] = []
  #open = new Uint8Array(0)
  #used = 0

  add(bytes: Uint8Array): void {
    if (this.#open.length - this.#used < bytes.length) {
      if (this.#used > 0) this.#full.push(this.#open.subarray(0, this.#used))
      this.#open = new Uint8Array(Math.max(blockSize, bytes.length))
      this.#used = 0
    }
    this.#open.set(bytes, this.#used)
    this.#used += bytes.length
  }

  /** Everything added until now, in order; what is added later does not change it. */
  list(): Uint8Array[] {
    return this.#used === 0 ? [...this.#full] : [...this.#full, this.#open.subarray(0, this.#used)]
  }
}
