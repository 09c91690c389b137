import { createHash, type Hash } from 'node:crypto'
import { appendFileSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import type { Block, DataOf, Hasher, LineSink, ToolSpec } from '@rein/session'

// What a harness on @rein/session alone has to bring: a hash, a place for lines, and a way to ask a model.

const wrap = (hash: Hash): Hasher => ({
  update: (data) => wrap(hash.update(data)),
  copy: () => wrap(hash.copy()),
  digest: () => hash.digest('hex'),
})

export const hasher = () => wrap(createHash('sha256'))

/** A log file where the `rein` command finds it. */
export function logFile(id: string): LineSink {
  const folder = `${process.env.REIN_HOME ?? `${homedir()}/.rein`}/sessions/examples`
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return {
    append: async (_, lines) => appendFileSync(`${folder}/${id}.jsonl`, `${lines.join('\n')}\n`),
    sync: async () => undefined,
  }
}

/** The header of a plain server without habits. */
export const headerFor = (model: string, tools: readonly ToolSpec[]): DataOf<'request/header'> => ({
  dialect: 'openai-chat',
  encoder: 1,
  provider: 'local',
  model,
  quirks: {
    systemRole: 'system',
    maxTokensField: 'max_tokens',
    reasoningField: 'none',
    emptyContent: 'null',
    usageInStream: false,
    parallelCalls: 'omit',
  },
  limits: { contextWindow: null, maxOutput: null },
  parameters: {},
  tools,
})

interface Delta {
  readonly content?: string
  readonly tool_calls?: readonly { readonly id: string; readonly function: { name: string; arguments: string } }[]
}

/** Send a body, and read the smallest stream that does: pieces of text, and calls that come whole. */
export async function ask(baseUrl: string, body: readonly Uint8Array[]): Promise<Block[]> {
  const response = await fetch(`${baseUrl}/chat/completions`, { method: 'POST', body: Buffer.concat(body) })
  const lines = [...(await response.text()).matchAll(/^data: (\{.*)$/gm)]
  const deltas: Delta[] = lines.map(([, json = '']) => JSON.parse(json).choices[0].delta)
  const text = deltas.map((delta) => delta.content ?? '').join('')
  const calls = deltas.flatMap((delta) => delta.tool_calls ?? [])
  return [
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
    ...calls.map(({ id, function: called }) => ({ type: 'call', id, ...called }) as const),
  ]
}
