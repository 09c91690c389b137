import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Failure } from '@rein/session'
import type { Agents } from './agent.ts'
import { type Body, failureOf, readBody } from './body.ts'
import { sendBody } from './send.ts'
import { type Timeouts, type Watch, watch } from './watch.ts'

export interface HttpRequest {
  /** `http:` or `https:`, without user name and password. */
  readonly url: URL
  /** Lower-case names. `content-length` and `host` are set here. */
  readonly headers: { readonly [name: string]: string }
  /** Sent as it is, piece by piece. */
  readonly body: readonly Uint8Array[]
  readonly timeouts: Timeouts
  readonly signal: AbortSignal
  readonly onConnected?: () => void
}

export interface HttpReply {
  readonly status: number
  /** Lower-case names; a repeated header is joined by commas. */
  readonly headers: { readonly [name: string]: string }
  readonly body: Body
}

/** What became of a request up to the head of the reply. */
export type Exchange =
  | { readonly kind: 'reply'; readonly reply: HttpReply }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'aborted' }

/** Sends one request, once. Never throws for anything the network or the other side did. */
export type Transport = (request: HttpRequest) => Promise<Exchange>

const flatten = (response: IncomingMessage): HttpReply['headers'] => {
  const flat: Record<string, string> = {}
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return flat
}

/** A redirect is never followed: the credential was given for this address and no other. */
const redirected = (response: IncomingMessage, target: string): Failure => {
  const location = (response.headers.location ?? 'nowhere').split('?')[0]?.slice(0, 200)
  return {
    code: 'BAD_RESPONSE',
    message: `${target} redirects (HTTP ${response.statusCode}) to ${location}; redirects are not followed`,
    next: 'Set the base URL to the final address.',
    status: response.statusCode ?? 0,
  }
}

let secureClient: Promise<typeof import('node:https')> | undefined
let plainClient: Promise<typeof import('node:http')> | undefined

/** Loaded with the first request that needs it. */
const clientModule = (secure: boolean): Promise<typeof import('node:https') | typeof import('node:http')> => {
  if (secure) {
    secureClient ??= import('node:https')
    return secureClient
  }
  plainClient ??= import('node:http')
  return plainClient
}

/** Everything that has to be waited for comes before the request, whose events start on the next tick. */
const opener = async (request: HttpRequest, agents: Agents): Promise<() => ClientRequest> => {
  const { url } = request
  const agent = await agents.for(url)
  const client = await clientModule(url.protocol === 'https:')
  const bytes = request.body.reduce((sum, piece) => sum + piece.byteLength, 0)
  return () =>
    client.request({
      agent,
      method: 'POST',
      protocol: url.protocol,
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port,
      path: `${url.pathname}${url.search}`,
      headers: { ...request.headers, 'content-length': String(bytes) },
    })
}

/** Resolves once there is a connection; the connect limit ends here. */
const connected = (client: ClientRequest, secure: boolean): Promise<void> =>
  new Promise((resolve, reject) => {
    client.once('error', reject)
    client.once('socket', (socket) => {
      if (client.reusedSocket || !socket.connecting) resolve()
      else socket.once(secure ? 'secureConnect' : 'connect', () => resolve())
    })
  })

const converse = async (request: HttpRequest, client: ClientRequest, wait: Watch): Promise<IncomingMessage> => {
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    client.once('response', resolve)
    // The error listener stays for good: a late EPIPE, after the reply came, must find one.
    client.on('error', reject)
    client.on('information', () => wait.expect('first-byte'))
  })
  answer.catch(() => undefined)
  wait.expect('connect')
  await connected(client, request.url.protocol === 'https:')
  request.onConnected?.()
  wait.expect('first-byte')
  let answered = false
  void sendBody(client, request.body, () => {
    if (!answered) wait.expect('first-byte')
  })
  const response = await answer
  answered = true
  return response
}

const speak = async (request: HttpRequest, agents: Agents): Promise<Exchange> => {
  const { signal } = request
  const target = request.url.host
  let breakable: ClientRequest | IncomingMessage | undefined
  // Once there is a response it must be broken itself: only then does its reader learn the reason.
  const wait = watch(request.timeouts, target, (error) => breakable?.destroy(error))
  try {
    const start = await opener(request, agents)
    if (signal.aborted) return { kind: 'aborted' }
    const client = start()
    breakable = client
    const abort = () => client.destroy()
    signal.addEventListener('abort', abort)
    client.once('close', () => signal.removeEventListener('abort', abort))
    const response = await converse(request, client, wait)
    breakable = response
    // A reply that is over before the request is: the rest would go to somebody who no longer listens.
    response.once('end', () => client.writableFinished || client.destroy())
    const status = response.statusCode ?? 0
    if (status >= 300 && status < 400) {
      client.destroy()
      return { kind: 'failed', failure: redirected(response, target) }
    }
    const body = readBody(response, { watch: wait, target, signal })
    return { kind: 'reply', reply: { status, headers: flatten(response), body } }
  } catch (error) {
    return signal.aborted ? { kind: 'aborted' } : { kind: 'failed', failure: failureOf(error, target) }
  } finally {
    wait.rest()
  }
}

/**
 * POST over Node's own HTTP: no redirects, no retries, no cookies. An abort destroys the socket, in the body too.
 * Failures: `NETWORK` with the system's code, `TIMEOUT_CONNECT`, `TIMEOUT_FIRST_BYTE`, `TIMEOUT_IDLE` (in the body),
 * `BAD_RESPONSE` (not HTTP, a redirect), `BAD_SETTINGS` (a proxy this Node cannot use).
 */
export const httpTransport =
  (agents: Agents): Transport =>
  async (request) =>
    request.signal.aborted ? { kind: 'aborted' } : speak(request, agents)
