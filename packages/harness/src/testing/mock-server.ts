import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { checkChatRequest } from '../model/strict-chat.ts'

/** One piece of a body; `afterMs` is the wait before it, default none. */
export type Piece = string | Uint8Array | { readonly afterMs: number; readonly bytes?: string | Uint8Array }

/** What the server answers to one request. */
export interface Answer {
  /** Default 200. */
  readonly status?: number
  /** Default: `text/event-stream` for 200, `application/json` otherwise. */
  readonly headers?: { readonly [name: string]: string }
  readonly body?: readonly Piece[]
  /** After the body: end it (default), reset the socket, close the socket without an end, or keep it open in silence. */
  readonly ending?: 'end' | 'reset' | 'close' | 'silence'
  /** Wait before the head, in milliseconds. */
  readonly headAfterMs?: number
}

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  /** The body exactly as it came. */
  readonly body: Buffer
  /** The client's port: equal for requests over one connection. */
  readonly port: number | undefined
  /** Resolves when the client's side of the exchange is over: true when it ended before the answer did. */
  readonly cut: Promise<boolean>
}

/** An answer, or how to make one from the request. */
export type Scripted = Answer | ((request: Received) => Answer | Promise<Answer>)

export interface MockServer extends AsyncDisposable {
  /** With the `/v1` a base URL ends in. */
  readonly baseUrl: string
  readonly received: readonly Received[]
  /** Add to the end of the script. */
  script(...answers: readonly Scripted[]): void
  close(): Promise<void>
}

export interface MockServerOptions {
  readonly script?: readonly Scripted[]
  /** Refuse with 400 what a strict server refuses; a refusal uses up no answer. Default true. */
  readonly strict?: boolean
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref())

const readAll = async (request: IncomingMessage): Promise<Buffer> => {
  const pieces: Uint8Array[] = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** The shape errors have in the documentation of chat completions. */
export const errorBody = (message: string, code: string, type = 'invalid_request_error'): string =>
  JSON.stringify({ error: { message, type, param: null, code } })

const problemOf = (body: Buffer): string | undefined => {
  let parsed: unknown
  try {
    parsed = JSON.parse(body.toString('utf8'))
  } catch {
    return 'the body is not JSON'
  }
  const checked = checkChatRequest(parsed)
  return checked.ok ? undefined : checked.problems.join('; ')
}

const finish = (response: ServerResponse, how: Answer['ending']) => {
  if (how === 'reset') response.socket?.resetAndDestroy()
  else if (how === 'close') response.socket?.end()
  else if (how !== 'silence') response.end()
}

const play = async (answer: Answer, response: ServerResponse) => {
  const { status = 200, headers, body = [], ending } = answer
  if (answer.headAfterMs !== undefined) await wait(answer.headAfterMs)
  const type = status === 200 ? 'text/event-stream' : 'application/json'
  response.writeHead(status, headers ?? { 'content-type': type })
  response.flushHeaders()
  for (const piece of body) {
    const timed = typeof piece === 'object' && 'afterMs' in piece
    if (timed) await wait(piece.afterMs)
    const bytes = timed ? piece.bytes : piece
    if (response.destroyed) return
    if (bytes !== undefined && bytes.length > 0) await new Promise<void>((sent) => response.write(bytes, () => sent()))
  }
  finish(response, ending)
}

const listen = (server: Server): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (address === null || typeof address === 'string') reject(new Error('the server has no port'))
      else resolve(`http://127.0.0.1:${address.port}/v1`)
    })
  })

/**
 * A model server on 127.0.0.1 that answers each request with the next answer of its script and keeps what it was
 * sent. When the script is over it answers 400 with the code `script_over`.
 */
export const mockServer = async (options: MockServerOptions = {}): Promise<MockServer> => {
  const { strict = true } = options
  const answers: Scripted[] = [...(options.script ?? [])]
  const received: Received[] = []
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const cut = new Promise<boolean>((resolve) => response.once('close', () => resolve(!response.writableFinished)))
    const body = await readAll(request)
    const { method = '', url: path = '', headers } = request
    const one: Received = { method, path, headers, body, cut, port: request.socket.remotePort }
    received.push(one)
    const problem = strict ? problemOf(body) : undefined
    if (problem !== undefined) return play({ status: 400, body: [errorBody(problem, 'strict')] }, response)
    const next = answers.shift() ?? { status: 400, body: [errorBody('the script is over', 'script_over')] }
    return play(typeof next === 'function' ? await next(one) : next, response)
  }
  const server = createServer((request, response) => {
    // A client that went away is part of the script; anything else breaks the exchange, and the test sees that.
    serve(request, response).catch(() => response.destroy())
  })
  const baseUrl = await listen(server)
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { baseUrl, received, script: (...more) => void answers.push(...more), close, [Symbol.asyncDispose]: close }
}
