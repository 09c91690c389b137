/** What a message is made of. Text that is only white space never reaches a provider (rule 10). */
export type Content = TextContent | ImageContent

export interface TextContent {
  readonly type: 'text'
  readonly text: string
}

/** The picture's bytes are the blob named by its hash; they are never in the log itself. */
export interface ImageContent {
  readonly type: 'image'
  /** SHA-256 of the bytes, hexadecimal. */
  readonly blob: string
  readonly mime: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif'
  readonly bytes: number
  /** Pixels. */
  readonly width?: number
  readonly height?: number
}

/** What an assistant message is made of, in the order the model gave it. */
export type Block = TextContent | ReasoningBlock | CallBlock | PrivateBlock

/** Reasoning goes back, unchanged, only to the adapter that produced it (`origin`), and is dropped for any other. */
export interface ReasoningBlock {
  readonly type: 'reasoning'
  readonly text: string
  readonly signature?: string
}

export interface CallBlock {
  readonly type: 'call'
  /** Unique in the session; minted anew when a provider repeats an id. */
  readonly id: string
  readonly name: string
  /** JSON text exactly as the model wrote it; it need not parse. */
  readonly arguments: string
  /** What the provider called it, when that differs from `id`. */
  readonly wireId?: string
  readonly signature?: string
}

/** Something only the provider that sent it can read; carried back untouched. */
export interface PrivateBlock {
  readonly type: 'private'
  readonly data: Json
}

/** Which adapter produced a message: what may go back to it and what may not is decided from this. */
export interface Origin {
  readonly provider: string
  readonly dialect: string
  readonly model: string
}

/** Who caused a message. Authority is read from here, never from text. */
export interface Source {
  readonly kind: 'person' | 'child' | 'job' | 'timer' | 'plugin' | 'context'
  /** Which child, job, timer, plugin or context section. */
  readonly name?: string
}

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
