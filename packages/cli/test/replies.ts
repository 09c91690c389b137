import type { Answer, Piece } from '@rein/harness/testing/mock-server'

/** Replies of a chat completions server, hand-made. Source: the API reference of chat completions, streaming. */

const line = (data: string): string => `data: ${data}\n\n`

const chunk = (delta: object, finish: string | null = null): string =>
  line(
    JSON.stringify({
      id: 'chatcmpl-made',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'made',
      choices: [{ index: 0, delta, finish_reason: finish }],
    }),
  )

const usage = line(
  JSON.stringify({
    id: 'chatcmpl-made',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'made',
    choices: [],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  }),
)

export const words = (text: string): string => chunk({ content: text })
export const ending = (finish: string): readonly string[] => [chunk({}, finish), usage, line('[DONE]')]

export const says = (text: string, finish = 'stop'): Answer => ({ body: [words(text), ...ending(finish)] })

export const calls = (name: string, args: object, id = 'call_1'): Answer => {
  const call = { index: 0, id, type: 'function', function: { name, arguments: JSON.stringify(args) } }
  return { body: [chunk({ tool_calls: [call] }), ...ending('tool_calls')] }
}

/** Text, then nothing more while the connection stays open. */
export const stalls = (...body: readonly Piece[]): Answer => ({ body, ending: 'silence' })

/** Text, then the end of the stream without a finish. */
export const cut = (text: string): Answer => ({ body: [words(text)] })
