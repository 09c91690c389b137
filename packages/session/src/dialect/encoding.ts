import type { Content } from '../events/content.ts'
import type { MessageEvent } from '../events/index.ts'
import type { Header, Repair } from '../events/request.ts'

/** The bytes of a blob, or undefined when it is not there. Synchronous: whoever derives has loaded them before. */
export type ReadBlob = (sha256: string) => Uint8Array | undefined

/**
 * One walk over a surface in one dialect: pure in everything it is given, called once a message in order. A body is
 * head + messages + closing + extra + tail. What it repairs by rule is added to `repairs`.
 */
export interface Encoding {
  readonly head: string
  readonly tail: string
  readonly repairs: readonly Repair[]
  /** The message's bytes as JSON text, empty when there is nothing to send; separators included. */
  message(event: MessageEvent): string
  /** What must follow so that the body is valid although calls are open. Changes nothing in this walk. */
  closing(): { readonly text: string; readonly repairs: readonly Repair[] }
  /** A side request's own instruction, as the last user message. */
  extra(content: readonly Content[]): string
}

export type Encoder = (header: Header, blob: ReadBlob) => Encoding
