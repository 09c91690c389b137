import type { Block, CallBlock, DataOf, Failure, Origin, Usage } from '@rein/session'
import { saysSomething } from '@rein/session'
import type { Reply } from '../model/assembler.ts'
import type { Price } from '../model/provider.ts'

type Settled = DataOf<'request/settled'>
type Message = DataOf<'assistant/message'>

/** What one finished model call leaves in the log: its settlement, and its message when something came of it. */
export interface Settlement {
  readonly settled: Settled
  readonly message: Message | undefined
}

/** US dollars of one call, from prices per million tokens. */
export const costOf = (usage: Usage, price: Price): number =>
  (usage.input * price.input +
    usage.cacheRead * price.cacheRead +
    usage.cacheWrite * price.cacheWrite +
    usage.output * price.output) /
  1_000_000

/**
 * @param facts.cancelled the person stopped it: the text so far stays. The text of a failed attempt does not, because
 * a retry would say it twice.
 */
export function settle(
  reply: Reply,
  facts: { readonly id: string; readonly origin: Origin; readonly price: Price | null; readonly cancelled: boolean },
): Settlement {
  const { id, origin } = facts
  const failure = facts.cancelled ? undefined : reply.failure
  const outcome = facts.cancelled ? 'cancelled' : failure ? 'failed' : 'completed'
  const cost = reply.usage && facts.price ? { cost: costOf(reply.usage, facts.price) } : {}
  const settled: Settled = {
    id,
    outcome,
    finish: reply.finish,
    usage: reply.usage,
    // A cut reply's calls are kept here, because they are told to the model; half calls of a broken stream are not.
    dropped: outcome === 'completed' ? reply.dropped : [],
    error: failure ?? null,
    timing: reply.timing,
    ...cost,
  }
  if (outcome === 'failed') return { settled, message: undefined }
  const interrupted = facts.cancelled ? { interrupted: 'cancelled' as const } : {}
  const { content } = reply
  const message = saysSomething(content) ? { request: id, content, origin, ...interrupted } : undefined
  return { settled, message }
}

/** What was streamed before a failure that no retry follows; a reply that did not finish holds no call. */
export const partialMessage = (reply: Reply, id: string, origin: Origin): Message | undefined => {
  const { content } = reply
  return saysSomething(content) ? { request: id, content, origin, interrupted: 'failed' } : undefined
}

export const callsIn = (content: readonly Block[]): readonly CallBlock[] =>
  content.filter((block) => block.type === 'call')

/** What the model is told when the token limit cut its reply (rule 6). */
export function cutNote(dropped: readonly CallBlock[]): string {
  const names = dropped.map((call) => call.name || '(no name)').join(', ')
  return (
    `Your last reply reached the token limit and was cut off. These tool calls in it were not run, because they may ` +
    `be incomplete: ${names}. Nothing was changed by them. Go on in smaller pieces.`
  )
}

export const diverged: Failure = {
  code: 'REQUEST_DIVERGED',
  message: 'The request about to be sent is not what the session log gives. Nothing was sent.',
  next: 'Resume the session in a new process; if it happens again, run `rein verify` and report it.',
}
