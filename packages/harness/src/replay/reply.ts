import type { Block, DataOf } from '@rein/session'
import type { Chunk } from '../model/chunk.ts'

/**
 * A recorded reply as the chunks of a stream: the content first, then usage, then how it ended. A reply that was
 * stopped has no end: whoever plays it stops the turn there.
 */
export function chunksOf(
  settled: DataOf<'request/settled'>,
  message: DataOf<'assistant/message'> | undefined,
): { readonly content: readonly Chunk[]; readonly end: readonly Chunk[] } {
  const blocks = [...(message?.content ?? cutOff(settled)), ...settled.dropped]
  const content: Chunk[] = blocks.flatMap((block, at) => [...chunksIn(block, at), { kind: 'close', block: at }])
  if (settled.usage) content.push({ kind: 'usage', usage: settled.usage })
  return { content, end: endOf(settled) }
}

/** The log ends between a settlement and its message: nothing follows that could show what the reply was. */
const cutOff = ({ outcome, finish }: DataOf<'request/settled'>): readonly Block[] =>
  outcome === 'completed' && finish?.reason !== 'length' ? [{ type: 'text', text: '(not in the log)' }] : []

/** A finish that is a failure is judged to be one by what it finishes. */
function endOf({ finish, error }: DataOf<'request/settled'>): readonly Chunk[] {
  if (finish) return [{ kind: 'finish', finish }]
  return error ? [{ kind: 'failed', failure: error }] : []
}

function chunksIn(block: Block, at: number): readonly Chunk[] {
  switch (block.type) {
    case 'text':
      return [{ kind: 'text', block: at, text: block.text }]
    case 'reasoning': {
      const { text, signature } = block
      return [{ kind: 'reasoning', block: at, text, ...(signature !== undefined && { signature }) }]
    }
    case 'private':
      return [{ kind: 'private', block: at, data: block.data }]
    case 'call':
      return [
        { kind: 'call', block: at, id: block.wireId ?? block.id, name: block.name },
        { kind: 'arguments', block: at, text: block.arguments },
      ]
  }
}
