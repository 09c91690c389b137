import type { Failure, Finish } from '@rein/session'
import type { Chunk } from './chunk.ts'
import { classifyError } from './classify.ts'
import type { Decoder } from './decoder.ts'
import { excerpt } from './excerpt.ts'
import { type JsonObject, listOf, objectOf, parseJson, textOf } from './json.ts'
import { CallGroups } from './openai-calls.ts'
import { brokenOff, finishOf } from './openai-finish.ts'
import { usageIn } from './openai-usage.ts'
import { WholeBody } from './openai-whole.ts'
import { type SseEvent, sseReader } from './sse.ts'

const badResponse = (message: string): Failure => ({
  code: 'BAD_RESPONSE',
  message,
  next: 'Check that the base URL is that of a chat completions endpoint.',
})

const truncated = (how: string): Failure => ({
  code: 'STREAM_TRUNCATED',
  message: `the reply ended without a finish (${how})`,
  next: 'Try again.',
})

/** Text of a content field: a string, or a list of parts (Mistral), thinking parts apart. */
const textsOf = (content: unknown): { readonly text: string; readonly thinking: string } => {
  if (typeof content === 'string') return { text: content, thinking: '' }
  let text = ''
  let thinking = ''
  for (const part of listOf(content)) {
    const { type, text: own, thinking: inner } = objectOf(part) ?? {}
    if (type === 'thinking') thinking += textsOf(inner).text
    else text += textOf(own) ?? ''
  }
  return { text, thinking }
}

/** The choice that was asked for; a server that sends several gets only its first one read. */
const choiceOf = (chunk: JsonObject): JsonObject | undefined =>
  listOf(chunk['choices'])
    .map(objectOf)
    .find((choice) => choice !== undefined && (choice['index'] === undefined || choice['index'] === 0))

const errorOf = (chunk: JsonObject, event: string | undefined): unknown => {
  const { error } = chunk
  if (error !== undefined && error !== null && error !== false && error !== '') return error
  return chunk['object'] === 'error' || event === 'error' ? chunk : undefined
}

/**
 * Decoder of chat completions: a stream, or the single completion, error or page a server sends in its place.
 *
 * The finish is held until the stream is over, because usage may come after it. A finish reason that was received
 * counts even when the connection then breaks or `[DONE]` is missing. `[DONE]` without any finish reason does not
 * count as a finish: gateways write it when the stream behind them broke, and the reply would be half an answer
 * taken for a whole one. Nothing is given after the finish or the first failure.
 * Source: the reference of POST /v1/chat/completions (streaming); rules 5 to 8 of the architecture.
 */
export const chatDecoder = (): Decoder => new ChatDecoder()

class ChatDecoder implements Decoder {
  readonly #reader = sseReader()
  readonly #whole = new WholeBody()
  readonly #calls = new CallGroups(() => this.#blocks++)
  #blocks = 0
  /** The block of prose that is being written. */
  #current: { readonly kind: 'text' | 'reasoning'; readonly block: number } | undefined
  #held: Finish | undefined
  #over = false
  #events = 0
  #gave = false

  get over(): boolean {
    return this.#over
  }

  push(bytes: Uint8Array): readonly Chunk[] {
    if (this.#over || this.#whole.take(bytes) === 'kept') return []
    const chunks = this.#reader.push(bytes).flatMap((event) => this.#handle(event))
    if (!this.#reader.overflown || this.#over) return chunks
    return [...chunks, ...this.#fail(badResponse('an event of the stream is too long'))]
  }

  end(cut?: Failure): readonly Chunk[] {
    if (this.#over) return []
    if (this.#whole.isWhole && cut === undefined) return this.#endOfWhole()
    const chunks = this.#reader.end().flatMap((event) => this.#handle(event))
    return this.#over ? chunks : [...chunks, ...this.#endOfStream(cut)]
  }

  #fail(failure: Failure): readonly Chunk[] {
    this.#over = true
    return [{ kind: 'failed', failure }]
  }

  #settle(finish: Finish): readonly Chunk[] {
    this.#over = true
    const calls = this.#calls.blocks
    const open = [...(this.#current === undefined ? [] : [this.#current.block]), ...calls]
    const called = finish.reason === 'stop' && calls.length > 0
    return [
      ...open.map((block): Chunk => ({ kind: 'close', block })),
      { kind: 'finish', finish: called ? { ...finish, reason: 'calls' } : finish },
    ]
  }

  #handle(event: SseEvent): readonly Chunk[] {
    if (this.#over) return []
    this.#events++
    if (event.data.trim() === '[DONE]') return this.#done()
    const parsed = parseJson(event.data)
    if (parsed !== undefined) return this.#chunk(parsed.value, event.event)
    // The last event of a cut stream may be cut itself; the end of the stream says the rest.
    return event.tail ? [] : this.#fail(badResponse(`an event of the stream is no JSON: ${excerpt(event.data, 120)}`))
  }

  #chunk(value: unknown, event: string | undefined): readonly Chunk[] {
    const chunk = objectOf(value)
    if (chunk === undefined) return this.#fail(badResponse('an event of the stream is no JSON object'))
    const error = errorOf(chunk, event)
    // An error behind the finish is trouble of the server's book-keeping: the reply itself was whole.
    if (error !== undefined) return this.#held === undefined ? this.#fail(classifyError(error)) : []
    const choice = choiceOf(chunk)
    const chunks = [...this.#delta(objectOf(choice?.['delta']) ?? objectOf(choice?.['message']) ?? {})]
    const usage = usageIn(chunk, choice)
    if (usage !== undefined) chunks.push({ kind: 'usage', usage })
    const raw = textOf(choice?.['finish_reason'])
    const broken = raw === undefined ? undefined : brokenOff(raw)
    if (broken !== undefined) return [...chunks, ...this.#fail(broken)]
    if (raw !== undefined) this.#hold(finishOf(raw))
    return chunks
  }

  /** A cut is never talked away by a second reason; apart from that the first one holds. */
  #hold(finish: Finish): void {
    if (this.#held === undefined || finish.reason === 'length' || finish.reason === 'filtered') this.#held = finish
  }

  #delta(message: JsonObject): readonly Chunk[] {
    const { text, thinking } = textsOf(message['content'])
    // Some servers send both names with the same text in them: only one is read.
    const reasoning = textOf(message['reasoning_content']) ?? textOf(message['reasoning']) ?? thinking
    const entries = listOf(message['tool_calls'])
    const legacy = objectOf(message['function_call'])
    const chunks = [
      ...this.#prose('reasoning', reasoning),
      ...this.#prose('text', text + (textOf(message['refusal']) ?? '')),
      ...this.#calls.route(legacy === undefined ? entries : [...entries, { index: -1, function: legacy }]),
    ]
    this.#gave ||= chunks.length > 0
    return chunks
  }

  #prose(kind: 'text' | 'reasoning', text: string): readonly Chunk[] {
    if (text === '') return []
    const before = this.#current
    if (before?.kind === kind) return [{ kind, block: before.block, text }]
    const block = this.#blocks++
    this.#current = { kind, block }
    const chunk: Chunk = { kind, block, text }
    return before === undefined ? [chunk] : [{ kind: 'close', block: before.block }, chunk]
  }

  #done(): readonly Chunk[] {
    if (this.#held !== undefined) return this.#settle(this.#held)
    if (this.#gave) return this.#fail(truncated('[DONE] came without a finish reason'))
    return this.#fail({ code: 'EMPTY_RESPONSE', message: 'the reply has nothing in it', next: 'Try again.' })
  }

  #endOfStream(cut: Failure | undefined): readonly Chunk[] {
    if (this.#held !== undefined) return this.#settle(this.#held)
    if (cut !== undefined) return this.#fail(cut.code === 'NETWORK' ? truncated(cut.message) : cut)
    const foreign = this.#events === 0 ? this.#whole.failure() : undefined
    return this.#fail(foreign ?? truncated('the connection was closed'))
  }

  #endOfWhole(): readonly Chunk[] {
    const completion = this.#whole.completion()
    if (completion === undefined) return this.#fail(this.#whole.failure() ?? badResponse('the reply is no completion'))
    const chunks = this.#chunk(completion, undefined)
    // One JSON value that parses is whole by itself, also where the server left the reason out.
    return this.#over ? chunks : [...chunks, ...this.#settle(this.#held ?? { reason: 'stop', raw: '' })]
  }
}
