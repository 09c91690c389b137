import type { ChatMessage, ChatRequest } from '@rein/harness'
import { type Fields, fieldsOf, parsed, textOf } from '../view/json.ts'

/** One call of the conversation and what came of it, as the model sees it. */
export interface Called {
  readonly name: string
  readonly arguments: Fields
  /** '' while there is no result. */
  readonly result: string
  /** Made since the model last answered. */
  readonly fresh: boolean
}

/** What the scripted model knows: nothing but the request it answers. */
export interface Conversation {
  /** In the order they were made. */
  readonly calls: readonly Called[]
  /** Whether there was an answer without calls before. */
  readonly answeredBefore: boolean
}

export function conversationOf({ messages }: ChatRequest): Conversation {
  const results = new Map(messages.map((message) => [message.tool_call_id ?? '', contentOf(message)]))
  const answered = messages.findLastIndex(({ role, tool_calls: asked }) => role === 'assistant' && !asked?.length)
  const calls = messages.flatMap((message, at) =>
    (message.tool_calls ?? []).map(({ id, function: { name, arguments: json } }) => ({
      name,
      arguments: fieldsOf(parsed(json)),
      result: results.get(id) ?? '',
      fresh: at > answered,
    })),
  )
  return { calls, answeredBefore: answered !== -1 }
}

const contentOf = ({ content }: ChatMessage): string =>
  typeof content === 'string' ? content : (content ?? []).map((part) => textOf(part['text']) ?? '').join('\n')
