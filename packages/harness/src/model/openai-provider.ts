import type { Failure, Quirks, Result } from '@rein/session'
import { agents } from '../net/agent.ts'
import { readText } from '../net/body.ts'
import { type HttpReply, httpTransport, type Transport } from '../net/http.ts'
import { defaultTimeouts, type Timeouts } from '../net/watch.ts'
import { catalogued } from './catalogue.ts'
import type { Chunk } from './chunk.ts'
import { classify } from './classify.ts'
import { decode } from './decoder.ts'
import type { EncodedRequest, ModelFacts, Provider } from './provider.ts'
import { quirksFor } from './quirks.ts'

/** Where the credential comes from. `none`: the endpoint wants none, which is not the same as a missing one. */
export type KeySource =
  | { readonly kind: 'none' }
  /**
   * `read` fails with `NO_CREDENTIAL` and names the variable or file when the configured key is not there; nothing
   * is tried in its place. Read again for each request.
   */
  | { readonly kind: 'bearer'; readonly read: () => Promise<Result<string>> }

export interface OpenaiProviderOptions {
  readonly name: string
  /** Up to and without `/chat/completions`; a query string stays. */
  readonly baseUrl: string
  readonly key: KeySource
  /** Win over the table of quirks. */
  readonly quirks?: Partial<Quirks>
  readonly timeouts?: Partial<Timeouts>
  /** What the settings say of models; wins over the catalogue. */
  readonly models?: { readonly [model: string]: Partial<Omit<ModelFacts, 'model' | 'quirks'>> }
  /** Sent with each request besides the own ones; lower-case names. */
  readonly headers?: { readonly [name: string]: string }
  readonly userAgent?: string
  /** Default: Node's HTTP without a proxy. */
  readonly transport?: Transport
  /** Milliseconds since 1970, for Retry-After dates. */
  readonly now?: () => number
}

const failed = (failure: Failure): Chunk => ({ kind: 'failed', failure })

const badUrl = (name: string, why: string): Result<URL> => ({
  ok: false,
  failure: {
    code: 'BAD_SETTINGS',
    message: `the base URL of the provider ${name} ${why}`,
    next: 'Set it to something like https://host/v1, and give the key on its own.',
  },
})

const endpoint = (name: string, baseUrl: string): Result<URL> => {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url === undefined) return badUrl(name, 'is no URL')
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return badUrl(name, 'is neither http: nor https:')
  if (url.username !== '' || url.password !== '') return badUrl(name, 'holds a user name or password')
  url.hash = ''
  const path = url.pathname.replace(/\/+$/, '')
  url.pathname = path.endsWith('/chat/completions') ? path : `${path}/chat/completions`
  return { ok: true, value: url }
}

/** A key as a header can carry it. */
const usableKey = (key: string, name: string): Result<string> => {
  const trimmed = key.trim()
  if (/^[\x21-\x7e]+$/.test(trimmed)) return { ok: true, value: trimmed }
  const why = trimmed === '' ? 'is empty' : 'holds characters that no key has'
  return {
    ok: false,
    failure: { code: 'NO_CREDENTIAL', message: `the key of the provider ${name} ${why}`, next: 'Set it again.' },
  }
}

/** Servers like to repeat the key they refuse. */
const hide = (chunk: Chunk, key: string | undefined): Chunk => {
  if (chunk.kind !== 'failed' || key === undefined || !chunk.failure.message.includes(key)) return chunk
  return failed({ ...chunk.failure, message: chunk.failure.message.replaceAll(key, '[key]') })
}

let chat: Promise<typeof import('./openai-chat.ts')> | undefined

/** The decoder, loaded while the first request is under way, not at start. */
const chatModule = (): Promise<typeof import('./openai-chat.ts')> => {
  chat ??= import('./openai-chat.ts')
  return chat
}

async function* read(reply: HttpReply, from: string, now: () => number): AsyncGenerator<Chunk> {
  const { status, headers, body } = reply
  if (status >= 200 && status < 300) {
    const { chatDecoder } = await chatModule()
    yield* decode(body, chatDecoder())
    return
  }
  const text = await readText(body)
  if (body.ending().kind !== 'aborted') yield failed(classify({ status, headers, body: text, from }, now()))
}

/** One request over the wire, as chunks. The moment of the connection is given when it happens, not with the reply. */
async function* send(
  options: { readonly url: URL; readonly headers: { readonly [name: string]: string }; readonly timeouts: Timeouts },
  request: EncodedRequest,
  wire: { readonly transport: Transport; readonly signal: AbortSignal; readonly now: () => number },
): AsyncGenerator<Chunk> {
  void chatModule()
  const connected = Promise.withResolvers<'connected'>()
  const exchange = wire.transport({
    ...options,
    body: request.body,
    signal: wire.signal,
    onConnected: () => connected.resolve('connected'),
  })
  if ((await Promise.race([connected.promise, exchange])) === 'connected') yield { kind: 'moment', at: 'connected' }
  const done = await exchange
  if (done.kind === 'failed') yield failed(done.failure)
  else if (done.kind === 'reply') yield* read(done.reply, options.url.host, wire.now)
}

const factsOf = (options: OpenaiProviderOptions, host: string, model: string): ModelFacts => {
  const known = catalogued(host, model)
  const given = options.models !== undefined && Object.hasOwn(options.models, model) ? options.models[model] : undefined
  return {
    model,
    quirks: { ...quirksFor({ provider: options.name, host, model }), ...options.quirks },
    contextWindow: given?.contextWindow ?? known.contextWindow,
    maxOutput: given?.maxOutput ?? known.maxOutput,
    price: given?.price ?? known.price,
    parameters: given?.parameters ?? {},
  }
}

/**
 * A provider that speaks chat completions: OpenAI and everything compatible with it. The credential goes to the
 * configured origin and nowhere else, and never into a message.
 */
export const openaiProvider = (options: OpenaiProviderOptions): Provider => {
  const { name, key, now = Date.now } = options
  const transport = options.transport ?? httpTransport(agents())
  const url = endpoint(name, options.baseUrl)
  const host = url.ok ? url.value.hostname : ''
  const timeouts: Timeouts = { ...defaultTimeouts, ...options.timeouts }

  const credential = async (): Promise<Result<string | undefined>> => {
    if (key.kind === 'none') return { ok: true, value: undefined }
    const found = await key.read()
    return found.ok ? usableKey(found.value, name) : found
  }

  async function* stream(request: EncodedRequest, signal: AbortSignal): AsyncGenerator<Chunk> {
    if (!url.ok) return yield failed(url.failure)
    const secret = await credential()
    if (!secret.ok) return yield failed(secret.failure)
    const headers = {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      // A compressed stream comes in lumps; a server that compresses all the same is understood.
      'accept-encoding': 'identity',
      'user-agent': options.userAgent ?? 'rein',
      ...options.headers,
      ...(secret.value === undefined ? {} : { authorization: `Bearer ${secret.value}` }),
    }
    const chunks = send({ url: url.value, headers, timeouts }, request, { transport, signal, now })
    for await (const chunk of chunks) yield hide(chunk, secret.value)
  }

  return { name, dialect: 'openai-chat', facts: (model) => factsOf(options, host, model), stream }
}
