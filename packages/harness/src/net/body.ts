import type { IncomingMessage } from 'node:http'
import { type Failure, FailureError } from '@rein/session'
import { decompress } from './decompress.ts'
import { networkFailure } from './trouble.ts'
import type { Watch } from './watch.ts'

/** How a body ended. A body that was cut is never mistaken for one that was finished. */
export type BodyEnding =
  /** Not yet: the reader has not come to the end, or left early. */
  | { readonly kind: 'open' }
  | { readonly kind: 'clean' }
  /** Reset, cut short, undecodable or timed out. */
  | { readonly kind: 'early'; readonly failure: Failure }
  | { readonly kind: 'aborted' }

export interface Body {
  /** Decoded bytes. Ends without throwing when nothing more comes; `ending()` then says why. One reader, once. */
  readonly bytes: AsyncIterable<Uint8Array>
  ending(): BodyEnding
}

/** How long a reader that left early lets the rest of a finished reply run out, so that its socket can be used again. */
const drainMs = 250

/** The failure an error stands for: one we made, or the socket's. */
export const failureOf = (error: unknown, target: string): Failure =>
  error instanceof FailureError ? error.failure : networkFailure(error, target)

const letGo = (response: IncomingMessage) => {
  if (response.complete) {
    response.resume()
    return
  }
  const timer = setTimeout(() => response.destroy(), drainMs)
  response.on('error', () => clearTimeout(timer))
  response.on('close', () => clearTimeout(timer))
  response.resume()
}

async function* pull(response: IncomingMessage, watch: Watch): AsyncGenerator<Uint8Array> {
  const pieces = response.iterator({ destroyOnReturn: false })
  let any = false
  try {
    for (;;) {
      watch.expect(any ? 'idle' : 'first-byte')
      const piece: IteratorResult<Uint8Array> = await pieces.next()
      watch.rest()
      if (piece.done) return
      any = true
      yield piece.value
    }
  } finally {
    watch.rest()
  }
}

/**
 * The body of a reply under its limits, decompressed.
 * @param target host and port, for messages.
 */
export const readBody = (
  response: IncomingMessage,
  options: { readonly watch: Watch; readonly target: string; readonly signal: AbortSignal },
): Body => {
  const { watch, target, signal } = options
  let ending: BodyEnding = { kind: 'open' }
  async function* bytes(): AsyncGenerator<Uint8Array> {
    try {
      yield* decompress(response.headers['content-encoding'], pull(response, watch))
      ending = signal.aborted ? { kind: 'aborted' } : { kind: 'clean' }
    } catch (error) {
      ending = signal.aborted ? { kind: 'aborted' } : { kind: 'early', failure: failureOf(error, target) }
    } finally {
      letGo(response)
    }
  }
  return { bytes: bytes(), ending: () => ending }
}

/**
 * The first `limit` bytes of a body as text; the rest is not waited for. Bytes that are no UTF-8 become U+FFFD.
 * @param limit in bytes; default 64 KiB, enough for any error page.
 */
export const readText = async (body: Body, limit = 65_536): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ''
  let left = limit
  for await (const piece of body.bytes) {
    const part = piece.subarray(0, left)
    text += decoder.decode(part, { stream: true })
    left -= part.byteLength
    if (left === 0) break
  }
  return text + decoder.decode()
}
