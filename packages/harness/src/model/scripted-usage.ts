import type { Usage } from '@rein/session'
import type { ScriptedReply } from './scripted.ts'

/** Bytes the scripted model counts as one token. */
const bytesPerToken = 4

/** How many bytes two bodies have in common from the start. Pieces that are the same object are not looked into. */
const commonPrefix = (one: readonly Uint8Array[], other: readonly Uint8Array[]): number => {
  let common = 0
  let at = 0
  while (at < one.length && at < other.length && one[at] === other[at]) common += one[at++]?.byteLength ?? 0
  const left = bytesFrom(one, at)
  const right = bytesFrom(other, at)
  for (;;) {
    const a = left.next()
    const b = right.next()
    if (a.done || b.done || a.value !== b.value) return common
    common++
  }
}

const bytesFrom = function* (body: readonly Uint8Array[], at: number): Generator<number> {
  for (const piece of body.slice(at)) yield* piece
}

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
