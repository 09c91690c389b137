import { createHash } from 'node:crypto'
import type { Failure } from '@rein/session'
import type { Body, BodyEnding } from '../net/body.ts'
import type { Exchange, HttpReply, HttpRequest, Transport } from '../net/http.ts'
import { countOf, listOf, objectOf, parseJson } from './json.ts'
import { pause, type Sleep } from './sleep.ts'

/** One recorded exchange: one line of JSON in a cassette. */
interface Recorded {
  readonly cassette: 1
  readonly request: { readonly sha256: string; readonly bytes: number }
  readonly failed?: Failure
  readonly reply?: {
    readonly status: number
    readonly headers: { readonly [name: string]: string }
    /** Milliseconds since the piece before, and the bytes in base64, cut as the network cut them. */
    readonly pieces: readonly (readonly [number, string])[]
    /** Why the body ended early, when it did. */
    readonly cut?: Failure
  }
}

/** Headers that decide how a reply is read; no other is kept, cookies and account names least of all. */
const kept = ['content-type', 'retry-after', 'retry-after-ms', 'x-should-retry']

const digest = (body: readonly Uint8Array[]): Recorded['request'] => {
  const hash = createHash('sha256')
  for (const piece of body) hash.update(piece)
  return { sha256: hash.digest('hex'), bytes: body.reduce((sum, piece) => sum + piece.byteLength, 0) }
}

/**
 * A transport that writes down what goes through it: the hash of the request, and the bytes of the reply (already
 * decompressed) with their cuts and times. Requests and credentials are not kept. An aborted exchange is not kept.
 * @param append takes one line with its line end, such as an append to a file.
 * @param now milliseconds, rising.
 */
export const recording =
  (transport: Transport, append: (line: string) => Promise<void>, now: () => number): Transport =>
  async (request) => {
    const write = (rest: Omit<Recorded, 'cassette' | 'request'>) => {
      const line: Recorded = { cassette: 1, request: digest(request.body), ...rest }
      return append(`${JSON.stringify(line)}\n`)
    }
    const exchange = await transport(request)
    if (exchange.kind === 'failed') await write({ failed: exchange.failure })
    if (exchange.kind !== 'reply') return exchange
    const { status, headers, body } = exchange.reply
    const pieces: [number, string][] = []
    async function* bytes(): AsyncGenerator<Uint8Array> {
      let last = now()
      try {
        for await (const piece of body.bytes) {
          const at = now()
          pieces.push([Math.round(at - last), Buffer.from(piece).toString('base64')])
          last = at
          yield piece
        }
      } finally {
        const ending = body.ending()
        const cut = ending.kind === 'early' ? { cut: ending.failure } : {}
        const used = Object.fromEntries(Object.entries(headers).filter(([name]) => kept.includes(name)))
        if (ending.kind !== 'aborted') await write({ reply: { status, headers: used, pieces, ...cut } })
      }
    }
    return { kind: 'reply', reply: { status, headers, body: { bytes: bytes(), ending: () => body.ending() } } }
  }

const asRecorded = (line: string): Recorded | undefined => {
  const value = objectOf(parseJson(line)?.value)
  const hash = objectOf(value?.['request'])?.['sha256']
  const reply = objectOf(value?.['reply'])
  const pieces = listOf(reply?.['pieces']).every(
    (piece) => Array.isArray(piece) && countOf(piece[0]) !== undefined && typeof piece[1] === 'string',
  )
  const whole = reply === undefined ? value?.['failed'] !== undefined : countOf(reply['status']) !== undefined && pieces
  // Checked just above, field by field, as far as playing it reads them.
  return value?.['cassette'] === 1 && typeof hash === 'string' && whole ? (value as unknown as Recorded) : undefined
}

const failed = (failure: Failure): Exchange => ({ kind: 'failed', failure })

type RecordedReply = NonNullable<Recorded['reply']>

const bodyOf = (reply: RecordedReply, signal: AbortSignal, wait: (ms: number) => Promise<void>): Body => {
  let ending: BodyEnding = { kind: 'open' }
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (const [afterMs, base64] of reply.pieces) {
      await wait(afterMs)
      if (signal.aborted) {
        ending = { kind: 'aborted' }
        return
      }
      yield Buffer.from(base64, 'base64')
    }
    ending = reply.cut === undefined ? { kind: 'clean' } : { kind: 'early', failure: reply.cut }
  }
  return { bytes: bytes(), ending: () => ending }
}

export interface PlayingOptions {
  /** Keep the recorded times; default false: as fast as it is read. */
  readonly paced?: boolean
  readonly sleep?: Sleep
}

/**
 * A transport that answers from a cassette, in its order, through the same decoder as the network.
 * Failures: `REQUEST_DIVERGED` with both hashes when a request is not the recorded one, `BAD_RESPONSE` when the
 * cassette is over or cannot be read.
 */
export const playing = (cassette: string, options: PlayingOptions = {}): Transport => {
  const { paced = false, sleep = pause } = options
  const lines = cassette.split('\n').filter((line) => line.trim() !== '')
  let at = 0
  return async (request: HttpRequest) => {
    if (request.signal.aborted) return { kind: 'aborted' }
    const line = lines[at++]
    if (line === undefined)
      return failed({ code: 'BAD_RESPONSE', message: `the cassette is over after ${lines.length}` })
    const recorded = asRecorded(line)
    if (recorded === undefined) {
      return failed({ code: 'BAD_RESPONSE', message: `line ${at} of the cassette cannot be read` })
    }
    const { sha256 } = digest(request.body)
    if (sha256 !== recorded.request.sha256) {
      const message = `request ${at} has the hash ${sha256}, and the cassette recorded ${recorded.request.sha256}`
      return failed({ code: 'REQUEST_DIVERGED', message, next: 'Record the cassette again.' })
    }
    request.onConnected?.()
    const { reply } = recorded
    if (reply === undefined) return failed(recorded.failed ?? { code: 'BAD_RESPONSE', message: 'nothing was recorded' })
    const wait = (ms: number) => (paced && ms > 0 ? sleep(ms, request.signal) : Promise.resolve())
    const whole: HttpReply = { status: reply.status, headers: reply.headers, body: bodyOf(reply, request.signal, wait) }
    return { kind: 'reply', reply: whole }
  }
}
