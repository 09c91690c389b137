import type { Failure } from '@rein/session'
import { excerpt, pageTitle } from './excerpt.ts'
import { type JsonObject, listOf, objectOf, parseJson } from './json.ts'

/** Bytes of a body that is no stream. */
const limit = 32 * 1024 * 1024
/** What is kept of a body that looked like a stream, for the message when no event was in it. */
const headLimit = 2_048

const open = { brace: 0x7b, bracket: 0x5b, angle: 0x3c }

/** The first byte that is neither white space nor part of a byte order mark. */
const firstSign = (bytes: Uint8Array): number | undefined =>
  bytes.find((byte) => byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf)

const kindBy = (sign: number | undefined): 'json' | 'page' | 'stream' | undefined => {
  if (sign === undefined) return undefined
  if (sign === open.angle) return 'page'
  return sign === open.brace || sign === open.bracket ? 'json' : 'stream'
}

const page = (html: string): Failure => ({
  code: 'BAD_RESPONSE',
  message: `the server sent a web page instead of a reply: ${pageTitle(html)}`,
  next: 'Check the base URL; something between here and the server may be answering in its place.',
})

const nonsense = (text: string): Failure => ({
  code: 'BAD_RESPONSE',
  message: `the server sent something that is no reply: ${excerpt(text, 120)}`,
  next: 'Check that the base URL is that of a chat completions endpoint.',
})

const fields = ['data', 'event', 'id', 'retry']

const half: Failure = { code: 'STREAM_TRUNCATED', message: 'the reply breaks off in the middle', next: 'Try again.' }

/** A line of an event stream; the last one may be cut inside its field name. */
const streamLine = (line: string, last: boolean): boolean =>
  line.trim() === '' ||
  line.startsWith(':') ||
  fields.some((field) => line.startsWith(`${field}:`) || line === field || (last && field.startsWith(line)))

const streamLike = (text: string): boolean => {
  const lines = text.split(/\r\n|\r|\n/)
  return lines.every((line, at) => streamLine(line, at === lines.length - 1))
}

/**
 * Servers that ignore `stream`, and whatever stands in front of them, answer 200 with one JSON completion, one error
 * object or a page. No event stream starts with `{`, `[` or `<`, whatever its content type says.
 */
export class WholeBody {
  readonly #decoder = new TextDecoder()
  #kind: 'json' | 'page' | 'stream' | undefined
  #text = ''
  #kept = 0

  /** @returns `kept`: the body is no stream, or it is too early to tell; `stream`: read these bytes as events. */
  take(bytes: Uint8Array): 'kept' | 'stream' {
    this.#kind ??= kindBy(firstSign(bytes))
    const room = (this.#kind === 'json' ? limit : headLimit) - this.#kept
    if (room > 0) {
      const part = bytes.subarray(0, room)
      this.#kept += part.byteLength
      this.#text += this.#decoder.decode(part, { stream: true })
    }
    return this.#kind === 'stream' ? 'stream' : 'kept'
  }

  /** The body is one JSON value or one page, not a stream. */
  get isWhole(): boolean {
    return this.#kind === 'json' || this.#kind === 'page'
  }

  /** The completion, or the object that carries an error. */
  completion(): JsonObject | undefined {
    if (this.#kind !== 'json') return undefined
    const value = parseJson(this.#text)?.value
    const found = objectOf(value) ?? objectOf(listOf(value)[0])
    if (found === undefined) return undefined
    return Array.isArray(found['choices']) || 'error' in found || found['object'] === 'error' ? found : undefined
  }

  /** Why this body is no reply; undefined when it may be the beginning of one. */
  failure(): Failure | undefined {
    if (this.#kind === 'page') return page(this.#text)
    if (this.#kind === 'json') return /[}\]]\s*$/.test(this.#text) ? nonsense(this.#text) : half
    if (this.#text.trim() === '') {
      return { code: 'EMPTY_RESPONSE', message: 'the server sent an empty reply', next: 'Try again.' }
    }
    return streamLike(this.#text) ? undefined : nonsense(this.#text)
  }
}
