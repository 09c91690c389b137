import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { Result } from '@rein/session'
import { cutText, notText, textTrouble } from './text.ts'
import { failed, fileTrouble, fine } from './trouble.ts'
import { kindOf } from './version.ts'

/** Which part of a file is wanted, and how much of it at most. */
export interface WindowLimits {
  /** First line, from 1. */
  readonly offset: number
  readonly lines: number
  /** UTF-8 bytes of all lines together. */
  readonly bytes: number
  /** Code points of one line. */
  readonly lineLength: number
}

/** A part of a text file, with the version of the whole of it. */
export interface FileWindow {
  readonly lines: readonly { readonly text: string /** Its end is missing. */; readonly cut: boolean }[]
  /** Lines of the whole file. */
  readonly total: number
  /** SHA-256 of the whole file's bytes. */
  readonly hash: string
  /** Bytes of the whole file. */
  readonly size: number
  readonly crlf: boolean
  readonly bom: boolean
  /** Whether the last line has a line end. */
  readonly closed: boolean
}

const CHUNK = 256 * 1024
const LF = 10
const CR = 13

/**
 * Read a window of a text file, hashing all of it on the way; memory is bounded by the limits, not by the file.
 * Fails `NOT_FOUND`, `NOT_A_FILE`, `BINARY_FILE` (a NUL byte), `NOT_UTF8` or `FILE_ERROR`.
 * @param path resolved. @param shown as the model wrote it. @throws the signal's reason when it aborts.
 */
export async function readWindow(
  file: { readonly path: string; readonly shown: string },
  limits: WindowLimits,
  signal: AbortSignal,
): Promise<Result<FileWindow>> {
  try {
    // Non-blocking, because opening a pipe without a writer would wait for ever.
    await using handle = await open(file.path, constants.O_RDONLY | constants.O_NONBLOCK)
    const facts = await handle.stat()
    if (!facts.isFile()) return failed('NOT_A_FILE', `${file.shown} is ${kindOf(facts)}, not a file.`)
    return await scan(handle, { shown: file.shown, limits, signal })
  } catch (error) {
    if (signal.aborted) throw error
    return { ok: false, failure: fileTrouble(error, file.shown) }
  }
}

interface Scan {
  readonly shown: string
  readonly limits: WindowLimits
  readonly signal: AbortSignal
}

async function scan(handle: FileHandle, { shown, limits, signal }: Scan): Promise<Result<FileWindow>> {
  const hash = createHash('sha256')
  const lines = new LineWindow(limits)
  const chunk = Buffer.allocUnsafe(CHUNK)
  let kept = 0
  let size = 0
  for (;;) {
    signal.throwIfAborted()
    const { bytesRead } = await handle.read(chunk, kept, CHUNK - kept)
    const fresh = chunk.subarray(kept, kept + bytesRead)
    hash.update(fresh)
    size += bytesRead
    const held = chunk.subarray(0, kept + bytesRead)
    // Judged in whole code points: what the end of the chunk cuts waits for the next one.
    const whole = bytesRead === 0 ? held : held.subarray(0, wholePoints(held))
    if (!isUtf8(whole) || whole.includes(0)) return notText(textTrouble(whole) ?? 'NOT_UTF8', shown)
    lines.push(whole)
    if (bytesRead === 0) break
    kept = held.length - whole.length
    chunk.copyWithin(0, whole.length, held.length)
  }
  return fine({ ...lines.end(), hash: hash.digest('hex'), size })
}

/** How many bytes end on a whole code point; at most three are left over. */
function wholePoints(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return bytes.length
    if (byte < 0xc0) continue
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return needs > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

/** Counts lines and keeps those of the window. */
class LineWindow {
  readonly #limits: WindowLimits
  readonly #lines: { text: string; cut: boolean }[] = []
  #part: Buffer[] = []
  #partBytes = 0
  #skipped = false
  #number = 1
  #bytes = 0
  #full = false
  #crlf = 0
  #lf = 0
  #last = 0
  #bom: boolean | undefined

  constructor(limits: WindowLimits) {
    this.#limits = limits
  }

  push(bytes: Buffer): void {
    let from = 0
    if (this.#bom === undefined && bytes.length > 0) {
      this.#bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
      from = this.#bom ? 3 : 0
    }
    for (let at = bytes.indexOf(LF, from); at !== -1; at = bytes.indexOf(LF, from)) {
      const before = at > from ? bytes[at - 1] : this.#last
      if (before === CR) this.#crlf++
      else this.#lf++
      this.#keep(bytes.subarray(from, at))
      this.#close()
      this.#last = LF
      from = at + 1
    }
    if (from >= bytes.length) return
    this.#keep(bytes.subarray(from))
    this.#last = bytes.at(-1) ?? 0
  }

  end(): Omit<FileWindow, 'hash' | 'size'> {
    const open = this.#last !== LF && this.#last !== 0
    if (open) this.#close()
    return {
      lines: this.#lines,
      total: this.#number - 1,
      crlf: this.#crlf > this.#lf,
      bom: this.#bom === true,
      closed: !open,
    }
  }

  get #wanted(): boolean {
    return !this.#full && this.#number >= this.#limits.offset
  }

  /** A code point has at most four bytes, so this much is always enough to cut from. */
  #keep(bytes: Buffer): void {
    if (!this.#wanted || bytes.length === 0) return
    const room = (this.#limits.lineLength + 1) * 4 - this.#partBytes
    if (bytes.length > room) this.#skipped = true
    if (room <= 0) return
    // A copy: the chunk is read into again.
    const part = Buffer.from(bytes.subarray(0, room))
    this.#part.push(part)
    this.#partBytes += part.length
  }

  #close(): void {
    if (this.#wanted) this.#add(Buffer.concat(this.#part).toString())
    this.#part = []
    this.#partBytes = 0
    this.#skipped = false
    this.#number++
  }

  #add(line: string): void {
    const whole = line.endsWith('\r') && !this.#skipped ? line.slice(0, -1) : line
    const text = cutText(whole, this.#limits.lineLength)
    const cut = this.#skipped || text.length < whole.length
    this.#bytes += Buffer.byteLength(text) + 1
    // One line is always given, or a reader could never get past it.
    if (this.#bytes > this.#limits.bytes && this.#lines.length > 0) this.#full = true
    else this.#lines.push({ text, cut })
    if (this.#lines.length >= this.#limits.lines) this.#full = true
  }
}
