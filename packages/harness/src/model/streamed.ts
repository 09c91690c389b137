import type { Json, SessionEvent } from '@rein/session'
import { assembler, type Reply } from './assembler.ts'
import type { Chunk } from './chunk.ts'

type BlockChunk = Extract<Chunk, { block: number }>

/** One piece of a reply as it was written down. `ms` counts from the request. */
export interface Streamed {
  readonly ms: number
  readonly chunk: BlockChunk
}

/** What was written down of a reply while it streamed, in order. What is no chunk of this version is left out. */
export function streamed(events: Iterable<SessionEvent>, request: string): readonly Streamed[] {
  const found: Streamed[] = []
  for (const event of events) {
    if (event.type !== 'assistant/chunks' || event.data.request !== request) continue
    for (const value of event.data.chunks) {
      const one = streamedOf(value)
      if (one) found.push(one)
    }
  }
  return found
}

function streamedOf(value: Json): Streamed | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { ms, ...chunk } = value as { readonly [key: string]: Json }
  const { kind, block, text } = chunk
  if (typeof ms !== 'number' || typeof block !== 'number') return undefined
  const known =
    kind === 'close' ||
    kind === 'call' ||
    (kind === 'private' && 'data' in chunk) ||
    ((kind === 'text' || kind === 'reasoning' || kind === 'arguments') && typeof text === 'string')
  return known ? { ms, chunk: chunk as unknown as BlockChunk } : undefined
}

/** How far a reply had come that has no message: that of a call which was cut off, or still runs. */
export function replySoFar(events: Iterable<SessionEvent>, request: string): Pick<Reply, 'content' | 'dropped'> {
  let ids = 0
  const assembly = assembler({ now: () => 0, taken: () => false, mint: () => `${request}-${++ids}` })
  for (const { chunk } of streamed(events, request)) assembly.push(chunk)
  return assembly.end('cancelled')
}
