import type { JsonObject } from './json.ts'

/** A message of a chat completions request that passed the strict check. */
export interface ChatMessage {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool'
  readonly content?: string | null | readonly JsonObject[]
  readonly tool_calls?: readonly {
    readonly id: string
    readonly type: 'function'
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
  readonly tool_call_id?: string
}

/** A chat completions request that passed the strict check. */
export interface ChatRequest {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly tools: readonly { readonly type: 'function'; readonly function: JsonObject }[]
  /** The whole body, parameters included. */
  readonly body: JsonObject
}
