import { replySoFar } from '@rein/harness'
import type { SessionEvent } from '@rein/session'
import { mark } from './marks.ts'
import { paint } from './paint.ts'
import { type RenderOptions, render } from './render.ts'

/**
 * What had come of a reply that broke off without a message, as lines for people: `event` is its settlement by a repair.
 * Undefined for any other event, and when nothing had come.
 */
export function cutReply(
  event: SessionEvent,
  events: readonly SessionEvent[],
  options: RenderOptions,
): string | undefined {
  if (event.type !== 'request/settled' || event.data.outcome !== 'interrupted') return undefined
  return soFar(event.data.id, { events, options, said: 'the reply broke off here; the model does not see it' })
}

/** The same of the reply that is coming in, or was when the process that asked for it died. */
export function openReply(events: readonly SessionEvent[], options: RenderOptions): string | undefined {
  const sent = events.findLast(({ type }) => type === 'request/sent' || type === 'request/settled')
  if (sent?.type !== 'request/sent') return undefined
  return soFar(sent.data.id, { events, options, said: 'so far; the reply is not over' })
}

function soFar(
  request: string,
  of: { readonly events: readonly SessionEvent[]; readonly options: RenderOptions; readonly said: string },
): string | undefined {
  const { content, dropped } = replySoFar(of.events, request)
  if (content.length === 0 && dropped.length === 0) return undefined
  const origin = { provider: '', dialect: '', model: '' }
  const data = { request, content, origin }
  const text = render({ seq: 0, time: 0, type: 'assistant/message', surface: 'append', data, hash: '' }, of.options)
  const calls = dropped.length === 0 ? '' : ` (it had begun to ask for ${dropped.map(({ name }) => name).join(', ')})`
  const note = mark(`${of.said}${calls}`, paint(of.options.color).yellow)
  return text === undefined ? note : `${text}\n${note}`
}
