import type { Failure, Json, Usage } from '@rein/session'

export interface ScriptedCall {
  readonly name: string
  /** A value is sent as its JSON text; text is sent as it is. */
  readonly arguments: Json
  /** Default: made from the place in the script. */
  readonly id?: string
}

/** One reply as plain data. The parts are streamed in this order: reasoning, text, calls, usage, finish. */
export interface ScriptedReply {
  readonly reasoning?: string
  readonly text?: string
  readonly calls?: readonly ScriptedCall[]
  /** The provider's word; default `tool_calls` with calls, `stop` without; null ends the stream without a finish. */
  readonly finish?: string | null
  /** Default: worked out from the bytes of the request, 4 to a token. */
  readonly usage?: Usage
  /** Given after the parts, in place of a finish. */
  readonly failure?: Failure
  /** Wait before the first chunk, in milliseconds. */
  readonly delayMs?: number
}
