import type { Failure, Finish } from '@rein/session'
import type { ChatRequest } from './chat-request.ts'
import type { Chunk } from './chunk.ts'
import { parseJson } from './json.ts'
import { finishOf } from './openai-finish.ts'
import type { EncodedRequest, ModelFacts, Provider } from './provider.ts'
import { defaultQuirks } from './quirks.ts'
import type { ScriptedReply } from './scripted-reply.ts'
import { estimate, outputTokens } from './scripted-usage.ts'
import { pause, type Sleep } from './sleep.ts'
import { checkChatRequest } from './strict-chat.ts'

/** A reply, or how to make one from the request it answers. */
export type ScriptEntry = ScriptedReply | ((request: ChatRequest) => ScriptedReply)

export interface ScriptedOptions {
  readonly script: readonly ScriptEntry[]
  readonly name?: string
  /**
   * Which entry answers: `request`, the next one with every request; `message`, the one at the number of assistant
   * messages in the request, so that a run goes on in the right place after a crash. Default `request`.
   */
  readonly advance?: 'request' | 'message'
  /** Characters in one chunk; default 24. */
  readonly chunkSize?: number
  /** Wait between chunks, in milliseconds; default none. */
  readonly chunkDelayMs?: number
  /** `strict` refuses what a strict server refuses; `none` does not read the body at all. Default `strict`. */
  readonly check?: 'strict' | 'none'
  readonly facts?: Partial<Omit<ModelFacts, 'model'>>
  readonly sleep?: Sleep
}

const pieces = function* (text: string, size: number): Generator<string> {
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + size)
    // A pair of surrogates is one character and stays together.
    const last = text.charCodeAt(end - 1)
    if (end < text.length && last >= 0xd800 && last < 0xdc00) end++
    yield text.slice(at, end)
    at = end
  }
}

/** The parts of a reply as the chunks a decoder would give, up to usage and finish. */
const partsOf = function* (reply: ScriptedReply, place: number, size: number): Generator<Chunk> {
  let block = 0
  for (const kind of ['reasoning', 'text'] as const) {
    const text = reply[kind] ?? ''
    if (text === '') continue
    for (const piece of pieces(text, size)) yield { kind, block, text: piece }
    yield { kind: 'close', block: block++ }
  }
  for (const [at, call] of (reply.calls ?? []).entries()) {
    const text = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments)
    yield { kind: 'call', block, id: call.id ?? `call_${place}_${at}`, name: call.name }
    for (const piece of pieces(text, size)) yield { kind: 'arguments', block, text: piece }
    if (reply.finish !== null && reply.failure === undefined) yield { kind: 'close', block }
    block++
  }
}

const finishFor = (reply: ScriptedReply): Finish =>
  finishOf(reply.finish ?? ((reply.calls ?? []).length > 0 ? 'tool_calls' : 'stop'))

type Read =
  | { readonly ok: true; readonly request: ChatRequest | undefined }
  | { readonly ok: false; readonly why: string }

const readRequest = (encoded: EncodedRequest): Read => {
  const decoder = new TextDecoder()
  const text = encoded.body.map((piece) => decoder.decode(piece, { stream: true })).join('') + decoder.decode()
  const parsed = parseJson(text)
  if (parsed === undefined) return { ok: false, why: 'the body is no JSON' }
  const checked = checkChatRequest(parsed.value)
  return checked.ok ? { ok: true, request: checked.request } : { ok: false, why: checked.problems.join('; ') }
}

const failed = (code: Failure['code'], message: string): Chunk => ({ kind: 'failed', failure: { code, message } })

const replyTo = (entry: ScriptEntry, request: ChatRequest | undefined): ScriptedReply => {
  if (typeof entry !== 'function') return entry
  if (request === undefined) throw new Error('a reply that is made from the request needs the request to be read')
  return entry(request)
}

/**
 * A model that says what its script says: offline, without a key, the same every time. It reads the bytes it is sent
 * and refuses (`BAD_REQUEST`) what a strict server refuses. A script that is over is `BAD_RESPONSE`.
 */
export const scriptedProvider = (options: ScriptedOptions): Provider => new ScriptedModel(options)

class ScriptedModel implements Provider {
  readonly name: string
  readonly dialect = 'openai-chat'
  readonly #options: ScriptedOptions
  readonly #sleep: Sleep
  /** Nothing about this script depends on what is asked. */
  readonly #blind: boolean
  #requests = 0
  #before: readonly Uint8Array[] = []

  constructor(options: ScriptedOptions) {
    this.#options = options
    this.name = options.name ?? 'scripted'
    this.#sleep = options.sleep ?? pause
    const plain = options.script.every((entry) => typeof entry !== 'function')
    this.#blind = options.check === 'none' && options.advance !== 'message' && plain
  }

  facts(model: string): ModelFacts {
    const unknown = { contextWindow: null, maxOutput: null, price: null, parameters: {} }
    return { model, quirks: defaultQuirks, ...unknown, ...this.#options.facts }
  }

  async *stream(encoded: EncodedRequest, signal: AbortSignal): AsyncGenerator<Chunk> {
    if (signal.aborted) return
    yield { kind: 'moment', at: 'connected' }
    const read: Read = this.#blind ? { ok: true, request: undefined } : readRequest(encoded)
    if (!read.ok) return yield failed('BAD_REQUEST', `the scripted model refuses the request: ${read.why}`)
    const place = this.#place(read.request)
    const { script } = this.#options
    const entry = script[place]
    if (entry === undefined) return yield failed('BAD_RESPONSE', `the script has ${script.length} replies and no more`)
    const reply = replyTo(entry, read.request)
    const prompt = estimate(encoded.body, this.#before)
    this.#before = encoded.body
    yield* this.#play(reply, place, signal)
    if (signal.aborted) return
    if (reply.failure !== undefined) return yield { kind: 'failed', failure: reply.failure }
    if (reply.finish === null) return
    yield { kind: 'usage', usage: reply.usage ?? { ...prompt, ...outputTokens(reply) } }
    yield { kind: 'finish', finish: finishFor(reply) }
  }

  #place(request: ChatRequest | undefined): number {
    if (this.#options.advance !== 'message') return this.#requests++
    return request?.messages.filter((message) => message.role === 'assistant').length ?? 0
  }

  async *#play(reply: ScriptedReply, place: number, signal: AbortSignal): AsyncGenerator<Chunk> {
    const { chunkSize = 24, chunkDelayMs = 0 } = this.#options
    if (reply.delayMs !== undefined) await this.#sleep(reply.delayMs, signal)
    if (signal.aborted) return
    yield { kind: 'moment', at: 'first-byte' }
    for (const chunk of partsOf(reply, place, chunkSize)) {
      if (chunkDelayMs > 0) await this.#sleep(chunkDelayMs, signal)
      if (signal.aborted) return
      yield chunk
    }
  }
}
