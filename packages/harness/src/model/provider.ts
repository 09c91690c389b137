import type { Header, Quirks, RequestKind } from '@rein/session'
import type { Chunk } from './chunk.ts'

/** What leaves the process: frozen, encoded, hashed. The body is a list of chunks and is never joined. */
export interface EncodedRequest {
  readonly id: string
  readonly kind: RequestKind
  readonly header: Header
  readonly body: readonly Uint8Array[]
  /** Total of `body` in bytes. */
  readonly bytes: number
  readonly sha256: string
}

/** What is known of one model before anything is sent. */
export interface ModelFacts {
  readonly model: string
  readonly quirks: Quirks
  /** Tokens; null when not known. */
  readonly contextWindow: number | null
  readonly maxOutput: number | null
  /** US dollars per million tokens; null when the model has no known price. */
  readonly price: Price | null
  readonly parameters: Header['parameters']
}

export interface Price {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
}

/** A model endpoint: dialect + address + credential + quirks. */
export interface Provider {
  readonly name: string
  readonly dialect: Header['dialect']
  /** Never fails: an unknown model gets the provider's defaults. */
  facts(model: string): ModelFacts
  /**
   * Never throws for anything the provider or the network did: that is a `failed` chunk. Stops when `signal` aborts,
   * then it just ends. A stream that ends without `finish` or `failed` was truncated.
   */
  stream(request: EncodedRequest, signal: AbortSignal): AsyncIterable<Chunk>
}
