import { closeSync, constants, fdatasync, fstatSync, ftruncateSync, openSync, read, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { FailureError } from '@rein/session'
import { FILE_MODE } from './names.ts'
import { wholeLength } from './tail.ts'

const NEWLINE = 10
/** Bytes handed out at a time: large enough that the system call is free, small enough to stay in the cache. */
const BLOCK = 4 * 1024 * 1024

const readAt = promisify(read)
const dataSync = promisify(fdatasync)

/** How a log ends when it is opened. `torn`: after its last line stands something that is no record. */
export type Tail = 'clean' | 'lacks-newline' | 'torn'

/** The one file a writer appends to. It keeps its descriptor, so it stays readable when its name goes to another. */
export class LogFile {
  readonly tail: Tail
  /** Bytes it held when it was opened. */
  readonly opened: number
  readonly #fd: number
  #size: number
  #lines: number | undefined
  #mended = false
  #closed = false

  /** @param lines how many whole lines it holds, when that is known already. */
  constructor(path: string, lines?: number) {
    this.#fd = openSync(path, constants.O_RDWR | constants.O_APPEND)
    try {
      this.opened = fstatSync(this.#fd).size
      const whole = wholeLength(this.#fd, this.opened)
      this.tail = whole.lacksNewline ? 'lacks-newline' : whole.bytes === this.opened ? 'clean' : 'torn'
    } catch (cause) {
      closeSync(this.#fd)
      throw cause
    }
    this.#size = this.opened
    this.#lines = lines
  }

  /** The bytes it held when it was opened. The first complete pass counts the lines on its way. */
  async *blocks(): AsyncGenerator<Uint8Array> {
    let newlines = 0
    for (let at = 0; at < this.opened; ) {
      if (this.#closed) throw new Error('the lease was released while its log was being read')
      const block = Buffer.allocUnsafe(Math.min(BLOCK, this.opened - at))
      const { bytesRead } = await readAt(this.#fd, block, 0, block.length, at)
      if (bytesRead === 0) break
      at += bytesRead
      const bytes = block.subarray(0, bytesRead)
      if (this.#lines === undefined) newlines += countNewlines(bytes)
      yield bytes
    }
    this.#lines ??= newlines + (this.tail === 'lacks-newline' ? 1 : 0)
  }

  /** Whole lines it holds now. */
  async lines(): Promise<number> {
    if (this.#lines === undefined) for await (const _ of this.blocks());
    return this.#lines ?? 0
  }

  /**
   * One write for the whole batch. When the disk refuses, what got through is cut off again, and the error is thrown.
   * @throws FailureError `LOG_WRITE` when another program changed the file: what is written there would not be read.
   */
  append(lines: readonly string[], before: number): void {
    this.#mustBeOurs()
    const mend = this.tail === 'lacks-newline' && !this.#mended ? '\n' : ''
    const bytes = Buffer.from(`${mend}${lines.join('\n')}\n`)
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(this.#fd, bytes, done, bytes.length - done)
    } catch (cause) {
      this.#cutBack()
      throw cause
    }
    this.#mended = true
    this.#size += bytes.length
    this.#lines = before + lines.length
  }

  #cutBack(): void {
    try {
      ftruncateSync(this.#fd, this.#size)
    } catch (cause) {
      // The disk refuses this too: the next writer finds a torn tail and sets it aside. The first error is the news.
      process.emitWarning(`a partial line stays at the end of the log: ${String(cause)}`)
    }
  }

  async sync(): Promise<void> {
    await dataSync(this.#fd)
    this.#mustBeOurs()
  }

  /** Only the one writer changes a log; whoever else cut it or took it away has lost what stood there. */
  #mustBeOurs(): void {
    const { size, nlink } = fstatSync(this.#fd)
    if (nlink > 0 && size === this.#size) return
    const what = nlink === 0 ? 'deleted' : `cut or written to: it held ${this.#size} bytes and now holds ${size}`
    throw new FailureError({
      code: 'LOG_WRITE',
      message: `while the session ran another program changed its log, which was ${what}`,
      next: 'Put the log back from a copy if there is one, then resume the session: what can be read of it is kept.',
    })
  }

  close(): void {
    if (!this.#closed) closeSync(this.#fd)
    this.#closed = true
  }
}

function countNewlines(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count++
  return count
}

/** A new file of whole lines, on the disk when it resolves. */
export async function writeLines(path: string, lines: readonly string[]): Promise<void> {
  const file = await open(path, 'w', FILE_MODE)
  try {
    let batch: string[] = []
    let size = 0
    for (const line of lines) {
      batch.push(line)
      size += line.length
      if (size < BLOCK) continue
      await file.writeFile(`${batch.join('\n')}\n`)
      batch = []
      size = 0
    }
    if (batch.length > 0) await file.writeFile(`${batch.join('\n')}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** A new file of bytes, on the disk when it resolves. */
export async function writeBytes(path: string, bytes: Uint8Array, flags: 'w' | 'wx' = 'w'): Promise<void> {
  const file = await open(path, flags, FILE_MODE)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** A new file of everything that comes, on the disk when it resolves. */
export async function writeStream(path: string, blocks: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'wx', FILE_MODE)
  try {
    for await (const block of blocks) await file.writeFile(block)
    await file.sync()
  } finally {
    await file.close()
  }
}
