import { isUtf8 } from 'node:buffer'
import type { Result } from '@rein/session'
import { failed, fine } from './trouble.ts'

export type LineEnd = '\n' | '\r\n'

/** A text file taken apart so that it can be put together again byte for byte. */
export interface TextFile {
  /** Without the byte order mark, line ends as they stand in the file. */
  readonly text: string
  readonly bom: boolean
  /** What most lines end in; LF when there is no line end. */
  readonly lineEnd: LineEnd
}

const BOM = Buffer.from([0xef, 0xbb, 0xbf])

/** Why bytes are no text we can work on; undefined when they are. Only the first 8 KB decide between the two reasons. */
export function textTrouble(bytes: Uint8Array): 'BINARY_FILE' | 'NOT_UTF8' | undefined {
  if (bytes.includes(0)) return hasUtf16Mark(bytes) ? 'NOT_UTF8' : 'BINARY_FILE'
  return isUtf8(bytes) ? undefined : 'NOT_UTF8'
}

/** Fails `BINARY_FILE` when there is a NUL byte, `NOT_UTF8` when the bytes are not valid UTF-8. `shown` names the file. */
export function decodeText(bytes: Uint8Array, shown: string): Result<TextFile> {
  const trouble = textTrouble(bytes)
  if (trouble !== undefined) return notText(trouble, shown)
  const bom = BOM.equals(bytes.subarray(0, 3))
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8', bom ? 3 : 0)
  return fine({ text, bom, lineEnd: lineEndOf(text) })
}

/** The bytes of a text file, its mark in front again. */
export const encodeText = (text: string, bom: boolean): Buffer =>
  bom ? Buffer.concat([BOM, Buffer.from(text)]) : Buffer.from(text)

export function notText(trouble: 'BINARY_FILE' | 'NOT_UTF8', shown: string): ReturnType<typeof failed> {
  if (trouble === 'BINARY_FILE')
    return failed(trouble, `${shown} is a binary file.`, 'Look at it with a command such as `file` or `xxd`.')
  const next = 'Convert a copy with `iconv -t UTF-8`, or change it with a command that knows its encoding.'
  return failed(trouble, `${shown} is not UTF-8 text; it was left as it is.`, next)
}

/** What most lines of `text` end in. */
export function lineEndOf(text: string): LineEnd {
  let crlf = 0
  let lf = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    if (text[at - 1] === '\r') crlf++
    else lf++
  }
  return crlf > lf ? '\r\n' : '\n'
}

/** Lines without their ends; a line end at the very end opens no further line, and empty text has none. */
export function linesOf(text: string): string[] {
  if (text === '') return []
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** The first `most` code points of `text`. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text
  let units = 0
  let points = 0
  while (units < text.length && points < most) {
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1
    points++
  }
  return text.slice(0, units)
}

const hasUtf16Mark = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
