import type { EventNamed, Header, MessageEvent, Repair, SessionEvent, ToolSpec } from '@rein/session'
import { count, counted } from '../view/amount.ts'
import type { SentRequest } from './sent-request.ts'

/** An event that made one request differ from another. */
export interface Cause {
  readonly seq: number
  /** What it did, and whose doing it was. */
  readonly what: string
  /** What exactly changed by it, a line each. */
  readonly parts: readonly string[]
}

/** The events between two requests as far as they changed what was sent, in the log's order. */
export function causesOf(one: SentRequest, other: SentRequest, events: readonly SessionEvent[]): readonly Cause[] {
  const [early, late] = one.sent.seq <= other.sent.seq ? [one, other] : [other, one]
  const found: Cause[] = []
  if (late.header.seq !== early.header.seq) found.push(headerCause(early.header, late.header))
  const there = { before: seqsOf(early.messages), after: seqsOf(late.messages) }
  for (const event of events.slice(early.sent.data.at + 1, late.sent.data.at + 1)) {
    const cause = moveOf(event, there) ?? additionOf(event, there)
    if (cause) found.push({ ...cause, parts: sections(early.messages, event) })
  }
  for (const repair of late.sent.data.repairs) found.push(repairCause(repair))
  if (late.sent.data.extra !== null) {
    const what = `request/sent: the instruction of a ${late.sent.data.kind} request stands at the end`
    found.push({ seq: late.sent.seq, what, parts: [] })
  }
  return found.sort((a, b) => a.seq - b.seq)
}

type There = { readonly before: ReadonlySet<number>; readonly after: ReadonlySet<number> }

const seqsOf = (messages: readonly MessageEvent[]): ReadonlySet<number> => new Set(messages.map(({ seq }) => seq))

/** A rewind or a replace that took away what was sent before. */
function moveOf(event: SessionEvent, { before, after }: There): Cause | undefined {
  if (event.type === 'session/rewound') {
    const gone = [...before].filter((seq) => seq > event.data.to && !after.has(seq)).length
    // What it took away was added in between: neither request held it.
    if (gone === 0) return undefined
    const what = `session/rewound to event ${event.data.to}, by ${event.data.by}: ${counted(gone, 'message')} left`
    return { seq: event.seq, what, parts: [] }
  }
  if (typeof event.surface !== 'object') return undefined
  const shadowed = (event.sources ?? []).filter((seq) => before.has(seq))
  if (shadowed.length === 0 && !after.has(event.seq)) return undefined
  const [first, last] = event.surface.replace
  const what = `${event.type} replaces events ${first} to ${last} (${counted(shadowed.length, 'message')}), by ${writerOf(event)}`
  return { seq: event.seq, what, parts: [] }
}

/** A message that was added, and is still there. */
function additionOf(event: SessionEvent, { after }: There): Cause | undefined {
  if (event.surface !== 'append' || !after.has(event.seq)) return undefined
  return { seq: event.seq, what: `${event.type} appended, by ${writerOf(event)}`, parts: [] }
}

/** Who wrote a message, in words. */
function writerOf(event: SessionEvent): string {
  switch (event.type) {
    case 'user/message': {
      const { kind, name } = event.data.source
      return name === undefined ? kind : `${kind} ${name}`
    }
    case 'assistant/message':
      return `the model, in reply to ${event.data.request}`
    case 'tool/result':
      return event.surface === 'append' ? `tool ${event.data.name} (${event.data.outcome.kind})` : 'prune'
    default:
      return 'the prompt'
  }
}

/** Which sections of a system text are others. */
function sections(messages: readonly MessageEvent[], event: SessionEvent): readonly string[] {
  const before = messages.findLast((message) => message.type === 'system/message')
  if (event.type !== 'system/message' || before?.type !== 'system/message') return []
  const old = new Map(before.data.sections.map((section) => [section.name, section]))
  const lines: string[] = []
  for (const { name, owner, bytes, sha256 } of event.data.sections) {
    const was = old.get(name)
    old.delete(name)
    if (!was) lines.push(`section ${name} of ${owner} added, ${count(bytes)} bytes`)
    else if (was.sha256 !== sha256)
      lines.push(`section ${name} of ${owner} changed, ${count(was.bytes)} → ${count(bytes)} bytes`)
  }
  for (const { name, owner } of old.values()) lines.push(`section ${name} of ${owner} removed`)
  return lines
}

function headerCause(before: EventNamed<'request/header'>, after: EventNamed<'request/header'>): Cause {
  const parts = [...plain(before.data, after.data), ...tools(before.data.tools, after.data.tools)]
  const same = parts.length === 0 ? ['nothing in it is different'] : parts
  return { seq: after.seq, what: 'request/header: what stands around the messages', parts: same }
}

/** Everything of a header but its tools, a value a line. */
function plain(before: Header, after: Header): readonly string[] {
  const flat = ({ dialect, encoder, provider, model, quirks, limits, parameters }: Header) =>
    new Map<string, unknown>([
      ...Object.entries({ provider, model, dialect, encoder }),
      ...Object.entries(quirks).map(([name, value]): [string, unknown] => [`quirk ${name}`, value]),
      ...Object.entries(limits).map(([name, value]): [string, unknown] => [`limit ${name}`, value]),
      ...Object.entries(parameters).map(([name, value]): [string, unknown] => [`parameter ${name}`, value]),
    ])
  const [old, now] = [flat(before), flat(after)]
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const [was, is] = [JSON.stringify(old.get(name)), JSON.stringify(now.get(name))]
    return was === is ? [] : [`${name}: ${was ?? '(not there)'} → ${is ?? '(not there)'}`]
  })
}

function tools(before: readonly ToolSpec[], after: readonly ToolSpec[]): readonly string[] {
  const old = new Map(before.map((tool) => [tool.name, tool]))
  const lines: string[] = []
  for (const tool of after) {
    const was = old.get(tool.name)
    old.delete(tool.name)
    if (!was) lines.push(`tool ${tool.name} added`)
    else if (was.description !== tool.description) lines.push(`tool ${tool.name}: its description changed`)
    if (was && JSON.stringify(was.parameters) !== JSON.stringify(tool.parameters))
      lines.push(`tool ${tool.name}: its parameters changed`)
  }
  for (const name of old.keys()) lines.push(`tool ${name} removed`)
  const names = (list: readonly ToolSpec[]): string => list.map(({ name }) => name).join()
  if (lines.length === 0 && names(before) !== names(after)) lines.push('tools: their order changed')
  return lines
}

const repairs: { readonly [rule in Repair['rule']]: string } = {
  'orphan-result': 'a result of no call was left out',
  'missing-result': 'a call without a result was given one that says so',
  'duplicate-id': 'a call id that was used before was made unique',
  'blank-text': 'a blank text was left out',
  'bad-arguments': 'arguments that are no JSON were wrapped',
  'bad-name': 'a tool name no server takes was changed',
  'foreign-reasoning': 'reasoning of another model was left out',
  'foreign-private': 'a private block of another provider was left out',
  'no-image': 'a picture that cannot be sent was described',
}

const repairCause = ({ seq, rule }: Repair): Cause => ({
  seq,
  what: `repaired by rule (${rule}): ${repairs[rule]}`,
  parts: [],
})
