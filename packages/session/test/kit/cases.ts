import { readFileSync } from 'node:fs'
import type { Block, Content, DataOf, EventType } from '../../src/index.ts'
import { encodeLine } from '../../src/line.ts'
import { hasher } from './ports.ts'

// Logs in a neutral schema `{seq,type,data}`, whole lines of it turned into lines of this format with a proper hash
// chain; what is damaged in them stays exactly as it is.

interface Neutral {
  readonly seq: number
  readonly type: string
  readonly data: {
    readonly cwd?: string
    readonly text?: string
    readonly ok?: boolean
    readonly call?: string
    readonly calls?: readonly { readonly id: string; readonly name: string; readonly args: object }[]
    readonly blocks?: readonly {
      type: string
      text?: string
      ref?: string
      width?: number
      height?: number
      bytes?: number
    }[]
  }
}

type Drafted = { [T in EventType]: { type: T; data: DataOf<T>; surface?: 'append' } }[EventType]

const origin = { provider: 'local', dialect: 'openai-chat', model: 'm-1' }

function draft({ seq, type, data }: Neutral, names: Map<string, string>): Drafted {
  switch (type) {
    case 'session.start':
      return { type: 'session/start', data: { format: 1, id: 'case', cwd: data.cwd ?? '/', rein: '0.1.0' } }
    case 'assistant.message': {
      for (const { id, name } of data.calls ?? []) names.set(id, name)
      const content: Block[] = [
        ...contentOf(data).filter((part) => part.type === 'text'),
        ...(data.calls ?? []).map(({ id, name, args }): Block => {
          return { type: 'call', id, name, arguments: JSON.stringify(args) }
        }),
      ]
      return { type: 'assistant/message', data: { request: `r${seq}`, content, origin }, surface: 'append' }
    }
    case 'tool.start': {
      const call = data.call ?? ''
      const base = { turn: 1, step: 1, call, name: names.get(call) ?? '', arguments: '{}' }
      return { type: 'tool/call', data: { ...base, parallel: true, effects: 'some' } }
    }
    case 'tool.result': {
      const call = data.call ?? ''
      const outcome = data.ok ? ({ kind: 'done' } as const) : ({ kind: 'denied', by: 'person', reason: '' } as const)
      return {
        type: 'tool/result',
        data: { call, name: names.get(call) ?? 'x', outcome, content: contentOf(data) },
        surface: 'append',
      }
    }
    case 'turn.end':
      return { type: 'turn/end', data: { turn: 1, outcome: 'completed' } }
    default: {
      const source = type === 'user.message' ? ({ kind: 'person' } as const) : ({ kind: 'context' } as const)
      return { type: 'user/message', data: { content: contentOf(data), source }, surface: 'append' }
    }
  }
}

function contentOf({ text, blocks }: Neutral['data']): Content[] {
  if (!blocks) return [{ type: 'text', text: text ?? '' }]
  return blocks.map(({ type, text: said = '', ref = '', width = 1, height = 1, bytes = 1 }): Content => {
    return type === 'image'
      ? { type, blob: ref, mime: 'image/png', bytes, width, height }
      : { type: 'text', text: said }
  })
}

function neutralOf(line: string): Neutral | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** The case as a log of ours, byte for byte but for the whole records. A second writer goes on from what it had read. */
export function caseLog(name: string): Buffer {
  const bytes = readFileSync(new URL(`../fixtures/log/${name}.jsonl`, import.meta.url))
  const hashes = new Map<number, string>()
  const names = new Map<string, string>()
  const lines: Buffer[] = []
  for (let at = 0; at <= bytes.length; ) {
    const end = bytes.indexOf(10, at)
    const raw = bytes.subarray(at, end < 0 ? bytes.length : end)
    const neutral = neutralOf(raw.toString())
    const made = neutral && draft(neutral, names)
    if (neutral && made) {
      const place = { seq: neutral.seq, time: 1_764_500_000_000, previous: hashes.get(neutral.seq - 1) ?? '' }
      const { line, hash } = encodeLine(place, made, hasher)
      hashes.set(neutral.seq, hash)
      lines.push(Buffer.from(line))
    } else lines.push(raw)
    if (end < 0) break
    at = end + 1
  }
  return Buffer.concat(lines.flatMap((line, index) => (index === 0 ? [line] : [Buffer.from('\n'), line])))
}
