import type { DataOf, SessionEvent } from '@rein/session'
import { firstDifference, isMap, type Place } from './difference.ts'
import type { Parting } from './replay-log.ts'

/** What a difference follows from, in words, and the place in it that says most. */
export interface Explained {
  /** Such as `system text, section base` or `tool bash: description`. */
  readonly cause: string
  readonly place: Place
}

/** @param then the recorded event, undefined past the end of the log. */
export function explain(then: SessionEvent, { now, place }: Parting): Explained {
  if (place.path === 'type') return { cause: orderOf(then, now.type), place }
  if (place.path === 'call') return { cause: 'order of calls', place }
  const plain = (cause: string): Explained => ({ cause, place })
  switch (then.type) {
    case 'system/message':
      return sectionOf(then.data, now.data) ?? plain('system text')
    case 'request/header':
      return headerOf(then.data, now.data) ?? plain(`header: ${place.path}`)
    case 'user/message':
      return plain(
        then.data.source.kind === 'context' ? `context: ${then.data.source.name ?? ''}` : 'input of the person',
      )
    case 'request/sent':
      return plain(place.path === 'sha256' || place.path === 'bytes' ? otherBytes : `request: ${place.path}`)
    case 'retry/scheduled':
      return plain(place.path === 'waitMs' ? 'retry: waited' : `retry: ${place.path}`)
    case 'retry/started':
      return plain(`retry: ${place.path}`)
    case 'turn/end':
      return plain('how the turn ended')
    case 'tool/call':
      return plain(`call of ${then.data.name}`)
    case 'tool/result':
      return plain(`result of ${then.data.name}`)
    case 'approval/asked':
      return plain('what is asked')
    case 'request/settled':
      return plain('how the model call ended')
    case 'assistant/message':
      return plain('the reply as it is kept')
    default:
      return plain(then.type)
  }
}

/** The events before are the same, and a body is made of nothing else. */
const otherBytes =
  'request bytes: the encoder is another one, or the log is redacted or false (`rein verify` says which)'

function orderOf(then: SessionEvent, now: string): string {
  if (now === 'nothing') return 'today nothing follows'
  if (then.type === 'retry/scheduled' || now === 'retry/scheduled') return 'retry: whether there is one'
  if (then.type === 'approval/asked' || now === 'approval/asked') return 'permission: whether a person is asked'
  if (then.type === 'turn/end' || now === 'turn/end') return 'how far the turn goes'
  if (then.type === 'request/header' || now === 'request/header') return 'header: whether it changed'
  return 'order of events'
}

/** The first section that is another one, its text cut out of the whole. */
function sectionOf(then: DataOf<'system/message'>, now: unknown): Explained | undefined {
  if (!isMap(now) || !Array.isArray(now['sections']) || typeof now['text'] !== 'string') return undefined
  const today: DataOf<'system/message'>['sections'] = now['sections']
  const [before, after] = [textsOf(then.text, then.sections), textsOf(now['text'], today)]
  for (let at = 0; at < Math.max(then.sections.length, today.length); at++) {
    const [was, is] = [then.sections[at], today[at]]
    if (was && is && was.name === is.name && was.sha256 === is.sha256) continue
    if (was && is && was.name === is.name)
      return {
        cause: `system text, section ${was.name}`,
        place: { path: 'text', was: before[at] ?? '', now: after[at] ?? '' },
      }
    const gone = was && !today.some(({ name }) => name === was.name)
    const [name, how] = gone ? [was.name, 'is gone'] : [is?.name ?? was?.name ?? '', was ? 'stands here now' : 'is new']
    const place = { path: `sections[${at}]`, was: before[at], now: after[at] }
    return { cause: `system text, section ${name} ${how}`, place }
  }
  return undefined
}

/** Sections stand one after the other, an empty line between them. */
function textsOf(text: string, sections: readonly { readonly bytes: number }[]): readonly string[] {
  const whole = Buffer.from(text)
  let at = 0
  return sections.map(({ bytes }) => {
    const part = whole.subarray(at, at + bytes).toString()
    at += bytes + 2
    return part
  })
}

function headerOf(then: DataOf<'request/header'>, now: unknown): Explained | undefined {
  if (!isMap(now) || !Array.isArray(now['tools'])) return undefined
  const rest = firstDifference({ ...then, tools: [] }, { ...now, tools: [] })
  if (rest) return { cause: nameOf(rest.path), place: rest }
  const today: DataOf<'request/header'>['tools'] = now['tools']
  for (const [at, tool] of then.tools.entries()) {
    const other = today.find(({ name }) => name === tool.name)
    if (!other)
      return { cause: `tool ${tool.name} is gone`, place: { path: `tools[${at}]`, was: tool.name, now: undefined } }
    const found = firstDifference(tool, other)
    if (found)
      return { cause: `tool ${tool.name}: ${found.path}`, place: { ...found, path: `tools[${at}].${found.path}` } }
  }
  const added = today.find(({ name }) => !then.tools.some((tool) => tool.name === name))
  if (added) return { cause: `tool ${added.name} is new`, place: { path: 'tools', was: undefined, now: added.name } }
  return { cause: 'order of the tools', place: { path: 'tools', was: names(then.tools), now: names(today) } }
}

const names = (tools: DataOf<'request/header'>['tools']) => tools.map(({ name }) => name)

const nameOf = (path: string): string => {
  const [top = '', ...more] = path.split('.')
  if (top === 'parameters') return `parameter ${more.join('.')}`
  return top === 'quirks' || top === 'limits' ? `${top}: ${more.join('.')}` : `header: ${top}`
}
