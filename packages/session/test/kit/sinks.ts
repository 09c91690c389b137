import { FailureError, type LineSink } from '../../src/index.ts'

/** Keeps what it is given, and what had been given when it was last synced. */
export class CollectingSink implements LineSink {
  readonly lines: string[] = []
  /** Every call in order: the number of lines written, or `sync`. */
  readonly calls: (number | 'sync')[] = []

  async append(expectedSeq: number, lines: readonly string[]): Promise<void> {
    if (expectedSeq !== this.lines.length) throw new Error(`expected ${expectedSeq}, holds ${this.lines.length} lines`)
    this.calls.push(lines.length)
    for (const line of lines) this.lines.push(line)
  }

  async sync(): Promise<void> {
    this.calls.push('sync')
  }

  bytes(): Uint8Array {
    return bytesOf(this.lines)
  }
}

/** A disk with room for so many bytes: what fits is written, and then it fails, as a full disk does. */
export class StoppingSink implements LineSink {
  readonly written: Uint8Array[] = []
  #room: number

  constructor(room: number) {
    this.#room = room
  }

  async append(_expectedSeq: number, lines: readonly string[]): Promise<void> {
    const bytes = bytesOf(lines)
    this.written.push(bytes.subarray(0, this.#room))
    this.#room -= bytes.length
    if (this.#room >= 0) return
    this.#room = 0
    throw new FailureError({ code: 'LOG_WRITE', message: 'the disk is full' })
  }

  async sync(): Promise<void> {}

  bytes(): Uint8Array {
    return Buffer.concat(this.written)
  }
}

export const bytesOf = (lines: readonly string[]): Uint8Array =>
  new TextEncoder().encode(lines.map((line) => `${line}\n`).join(''))
