import { readSync } from 'node:fs'

const NEWLINE = 10
const BLOCK = 65_536

export interface Whole {
  /** How much of the file is whole lines, a last record without its newline included. */
  readonly bytes: number
  /** The last record is whole and only its newline is missing. */
  readonly lacksNewline: boolean
}

/** Where the whole lines of an open file end, found from its end. */
export function wholeLength(fd: number, size: number): Whole {
  const start = lastNewline(fd, size) + 1
  if (start === size) return { bytes: size, lacksNewline: false }
  return isRecord(readRange(fd, start, size))
    ? { bytes: size, lacksNewline: true }
    : { bytes: start, lacksNewline: false }
}

function lastNewline(fd: number, size: number): number {
  for (let end = size; end > 0; end -= BLOCK) {
    const start = Math.max(0, end - BLOCK)
    const found = readRange(fd, start, end).lastIndexOf(NEWLINE)
    if (found !== -1) return start + found
  }
  return -1
}

/** As many of these bytes of an open file as there are. */
export function readRange(fd: number, start: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(end - start)
  let read = 0
  while (read < bytes.length) {
    const got = readSync(fd, bytes, read, bytes.length - read, start + read)
    if (got === 0) break
    read += got
  }
  return bytes.subarray(0, read)
}

/** A cut record never parses: its closing brace is its last byte. */
export function isRecord(bytes: Uint8Array): boolean {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'))
    return typeof value === 'object' && value !== null
  } catch (cause) {
    if (cause instanceof SyntaxError) return false
    throw cause
  }
}
