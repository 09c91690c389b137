import type { CallBlock, EventNamed, Header } from '@rein/session'
import type { Chunk } from '../model/chunk.ts'
import type { EncodedRequest, ModelFacts, Provider } from '../model/provider.ts'
import { defaultQuirks } from '../model/quirks.ts'
import { chunksOf } from './reply.ts'
import type { Stage } from './stage.ts'

/**
 * A model that says again what it said, attempt by attempt.
 * @param today the provider of that name in today's settings: what it knows of its models is in every header.
 */
export function playedProvider(name: string, today: Provider | undefined, stage: Stage): Provider {
  const known = stage.recording.nextHeader(stage.length())
  return {
    name,
    dialect: today?.dialect ?? known?.dialect ?? 'openai-chat',
    facts: (model) => today?.facts(model) ?? factsIn(stage.recording.headerFor({ provider: name, model }), model),
    stream: (request) => replyTo(request, stage),
  }
}

async function* replyTo({ id }: EncodedRequest, stage: Stage): AsyncGenerator<Chunk> {
  const { recording, turnstile } = stage
  const settled = recording.settled.get(id)
  // The process died while it waited.
  if (!settled || settled.seq >= stage.until) return await turnstile.before(Number.POSITIVE_INFINITY)
  const message = messageOf(settled, stage)
  stage.mint([...(message?.content ?? []), ...settled.data.dropped].filter(isMinted).map((call) => call.id))
  const { content, end } = chunksOf(settled.data, message)
  yield* content
  if (settled.data.outcome === 'cancelled') await stage.stopSoon(settled.seq)
  else yield* end
}

function messageOf({ data }: EventNamed<'request/settled'>, { recording, until }: Stage) {
  const message = recording.messages.get(data.id)
  return message && message.seq < until ? message.data : undefined
}

const isMinted = (block: { readonly type: string }): block is CallBlock =>
  block.type === 'call' && 'wireId' in block && block.wireId !== undefined

/** What nobody configures now is as it was. */
function factsIn(header: Header | undefined, model: string): ModelFacts {
  const { quirks = defaultQuirks, limits = { contextWindow: null, maxOutput: null }, parameters = {} } = header ?? {}
  return { model, quirks, ...limits, price: null, parameters }
}
