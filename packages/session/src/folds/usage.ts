import type { Usage } from '../events/request.ts'
import type { Fold } from '../fold.ts'

/** What the session has used. A rewind gives no money back. */
export interface Spent {
  readonly total: Usage
  /** US dollars; undefined as soon as one call had no known price, or did not fail and does not say what it used. */
  readonly cost: number | undefined
  /** Settled model calls, retries included. */
  readonly requests: number
  /** Tokens of the last prompt and its reply: how full the window is. Not a sum over turns. */
  readonly context: number
}

const nothing: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }

export const usage: Fold<Spent> = {
  rewinds: false,
  initial: { total: nothing, cost: 0, requests: 0, context: 0 },
  step(state, event) {
    if (event.type !== 'request/settled') return state
    const { usage: used, cost, outcome } = event.data
    const requests = state.requests + 1
    if (used === null) return { ...state, requests, cost: outcome === 'failed' ? state.cost : undefined }
    const context = used.input + used.cacheRead + used.cacheWrite + used.output
    return {
      total: addUsage(state.total, used),
      cost: state.cost === undefined || cost === undefined ? undefined : state.cost + cost,
      requests,
      context,
    }
  },
}

/** The four buckets stay disjoint; `reasoning` is a part of `output` and is added beside it. */
export function addUsage(a: Usage, b: Usage): Usage {
  const reasoning = (a.reasoning ?? 0) + (b.reasoning ?? 0)
  return {
    input: a.input + b.input,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    output: a.output + b.output,
    ...(reasoning > 0 && { reasoning }),
  }
}
