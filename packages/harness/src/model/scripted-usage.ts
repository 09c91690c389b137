import type { Usage } from '@rein/session'
import type { ScriptedReply } from './scripted-reply.ts'

/** Bytes the scripted model counts as one token. */
const bytesPerToken = 4

/** How many bytes two bodies have in common from the start, whatever pieces they are in. */
const commonPrefix = (one: readonly Uint8Array[], other: readonly Uint8Array[]): number => {
  let common = 0
  for (let [i, j, a, b] = [0, 0, one[0], other[0]]; a && b; ) {
    const length = Math.min(a.byteLength, b.byteLength)
    if (Buffer.compare(a.subarray(0, length), b.subarray(0, length)) !== 0) return common + firstDifference(a, b)
    common += length
    a = length < a.byteLength ? a.subarray(length) : one[++i]
    b = length < b.byteLength ? b.subarray(length) : other[++j]
  }
  return common
}

const firstDifference = (a: Uint8Array, b: Uint8Array): number => a.findIndex((byte, at) => byte !== b[at])

const size = (body: readonly Uint8Array[]): number => body.reduce((sum, piece) => sum + piece.byteLength, 0)

/** Prompt tokens of a request, what it shares with the one before counted as read from a cache. */
export const estimate = (
  body: readonly Uint8Array[],
  before: readonly Uint8Array[],
): Pick<Usage, 'input' | 'cacheRead' | 'cacheWrite'> => {
  const total = Math.ceil(size(body) / bytesPerToken)
  const cacheRead = Math.floor(commonPrefix(body, before) / bytesPerToken)
  return { input: total - cacheRead, cacheRead, cacheWrite: 0 }
}

const tokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / bytesPerToken)

/** Reply tokens of a scripted reply. */
export const outputTokens = (reply: ScriptedReply): Pick<Usage, 'output' | 'reasoning'> => {
  const reasoning = tokens(reply.reasoning ?? '')
  const calls = (reply.calls ?? []).map((call) => tokens(call.name + JSON.stringify(call.arguments)))
  const output = reasoning + tokens(reply.text ?? '') + calls.reduce((sum, count) => sum + count, 0)
  return { output, ...(reasoning > 0 ? { reasoning } : {}) }
}
