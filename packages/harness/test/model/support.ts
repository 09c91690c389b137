import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Failure } from '@rein/session'
import { assembler, type Reply } from '../../src/model/assembler.ts'
import type { Chunk } from '../../src/model/chunk.ts'
import { chatDecoder } from '../../src/model/openai-chat.ts'
import type { EncodedRequest, Provider } from '../../src/model/provider.ts'
import { defaultQuirks } from '../../src/model/quirks.ts'

export const fixture = (name: string): Buffer => readFileSync(new URL(`../fixtures/sse/${name}.sse`, import.meta.url))

const counter = (prefix: string) => {
  let next = 0
  return () => `${prefix}${++next}`
}

export const assemble = (chunks: Iterable<Chunk>, taken: (id: string) => boolean = () => false): Reply => {
  const one = assembler({ now: () => 0, taken, mint: counter('minted-') })
  for (const chunk of chunks) one.push(chunk)
  return one.end()
}

/** The chunks of a body that arrives in these pieces. */
export const decodePieces = (pieces: Iterable<Uint8Array>, cut?: Failure): readonly Chunk[] => {
  const decoder = chatDecoder()
  const chunks: Chunk[] = []
  for (const piece of pieces) chunks.push(...decoder.push(piece))
  return [...chunks, ...decoder.end(cut)]
}

export const decodeText = (text: string): Reply => assemble(decodePieces([Buffer.from(text)]))

export const calls = (reply: Reply) =>
  reply.content.flatMap((block) =>
    block.type === 'call' ? [{ id: block.id, name: block.name, args: JSON.parse(block.arguments) as unknown }] : [],
  )

export const text = (reply: Reply): string =>
  reply.content.map((block) => (block.type === 'text' ? block.text : '')).join('')

export const reasoning = (reply: Reply): string =>
  reply.content.map((block) => (block.type === 'reasoning' ? block.text : '')).join('')

export const userSays = (content: string): object => ({
  model: 'm',
  messages: [{ role: 'user', content }],
  stream: true,
})

/** A request as the session would have encoded it, cut into pieces of `size` bytes. */
export const encoded = (value: unknown, size = 1 << 20): EncodedRequest => {
  const bytes = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
  const body: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += size) body.push(bytes.subarray(at, at + size))
  return {
    id: 'r1',
    kind: 'step',
    header: {
      dialect: 'openai-chat',
      encoder: 1,
      provider: 'p',
      model: 'm',
      quirks: defaultQuirks,
      limits: { contextWindow: null, maxOutput: null },
      parameters: {},
      tools: [],
    },
    body,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  }
}

export const collect = async (
  provider: Provider,
  request: EncodedRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly Chunk[]> => {
  const chunks: Chunk[] = []
  for await (const chunk of provider.stream(request, signal)) chunks.push(chunk)
  return chunks
}

export const failureIn = (chunks: readonly Chunk[]): Failure | undefined =>
  chunks.flatMap((chunk) => (chunk.kind === 'failed' ? [chunk.failure] : []))[0]
