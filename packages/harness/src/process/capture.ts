import { StringDecoder } from 'node:string_decoder'
import { HeadTail } from './head-tail.ts'
import { TerminalText, withoutStyle } from './terminal-text.ts'

/** A file the whole output goes to once it is too long to be told whole. */
export interface OverflowFile {
  /** Absolute. */
  readonly path: string
  write(bytes: Uint8Array): Promise<void>
  close(): Promise<void>
}

/** What is kept of a process's output. */
export interface Output {
  /** For the model: no control sequences, progress lines as they ended, the middle left out with a note saying where it is. */
  readonly text: string
  /** For people: the same with its colours, shorter. */
  readonly view: string
  /** Length of the whole text in UTF-8 bytes, control sequences left out. */
  readonly bytes: number
  /** Where the whole text is; there when `text` is not all of it and the file could be written. */
  readonly path?: string
}

/** UTF-8 bytes of the two ends that are kept. */
const FOR_MODEL = { head: 10_000, tail: 20_000 }
const FOR_VIEW = { head: 4_000, tail: 12_000 }
/** Bytes on their way to the overflow file before the process has to wait. */
const MOST_WAITING = 512 * 1024
/** Longest overflow file, in bytes. */
const MOST_OVERFLOW = 64 * 1024 * 1024

/** Takes a process's output as bytes while it runs; memory stays bounded whatever comes. */
export class Capture {
  readonly #decoder = new StringDecoder('utf8')
  readonly #terminal = new TerminalText()
  readonly #model = new HeadTail(FOR_MODEL)
  readonly #view = new HeadTail(FOR_VIEW)
  readonly #open: (() => Promise<OverflowFile>) | undefined
  #writing: Promise<void> = Promise.resolve()
  #file: OverflowFile | undefined
  #overflowing = false
  #waiting = 0
  #written = 0
  #trouble = false

  /** @param open makes the overflow file, at most once; without it a long output's middle is lost, and the note says so. */
  constructor(open?: () => Promise<OverflowFile>) {
    this.#open = open
  }

  /** @returns a promise when the process has to wait until it resolves: the disk is slower than its output. */
  push(bytes: Uint8Array): Promise<void> | undefined {
    this.#take(this.#terminal.push(this.#decoder.write(bytes)))
    return this.#waiting > MOST_WAITING ? this.#writing : undefined
  }

  /** The end of the output so far, for somebody who watches. */
  recent(most: number): string {
    return this.#view.held().slice(-most).toWellFormed()
  }

  async end(): Promise<Output> {
    this.#take(this.#terminal.push(this.#decoder.end()) + this.#terminal.end())
    await this.#writing
    const file = this.#file
    await file?.close().catch((error: unknown) => this.#lose(error))
    const where = this.#whereabouts()
    const text = this.#model.text(({ bytes, lines }) => `[${amount(bytes, lines)} left out; ${where}]`)
    const view = this.#view.text(({ bytes, lines }) => `[${amount(bytes, lines)} left out]`)
    const kept = file !== undefined && !this.#trouble
    return { text, view, bytes: this.#model.bytes, ...(kept ? { path: file.path } : {}) }
  }

  #take(text: string): void {
    if (text === '') return
    this.#view.push(text)
    const plain = withoutStyle(text)
    const first = !this.#overflowing && this.#model.bytes + Buffer.byteLength(plain) > FOR_MODEL.head + FOR_MODEL.tail
    const before = first ? this.#model.held() : ''
    this.#model.push(plain)
    if (!this.#model.cut) return
    this.#overflow(before + plain)
    this.#overflowing = true
  }

  #overflow(text: string): void {
    if (this.#open === undefined || this.#trouble || this.#written >= MOST_OVERFLOW) return
    const bytes = Buffer.from(text)
    this.#written += bytes.length
    this.#waiting += bytes.length
    const open = this.#open
    this.#writing = this.#writing
      .then(async () => {
        this.#file ??= await open()
        await this.#file.write(bytes)
      })
      // A full disk must not end the process: the two ends are still told, and that the middle is lost.
      .catch((error: unknown) => this.#lose(error))
      .finally(() => {
        this.#waiting -= bytes.length
      })
  }

  #lose(error: unknown): void {
    if (!(error instanceof Error)) throw error
    this.#trouble = true
  }

  #whereabouts(): string {
    if (this.#trouble) return 'it could not be kept on disk'
    if (this.#file === undefined) return 'it was not kept'
    const first = this.#written >= MOST_OVERFLOW ? `the first ${MOST_OVERFLOW} bytes are` : 'the whole output is'
    return `${first} in ${this.#file.path}`
  }
}

const amount = (bytes: number, lines: number): string =>
  lines > 0 ? `${lines} lines, ${bytes} bytes` : `${bytes} bytes`
