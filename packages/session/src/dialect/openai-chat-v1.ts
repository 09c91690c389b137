import type { Block, CallBlock, Content, ImageContent } from '../events/content.ts'
import type { EventNamed, MessageEvent } from '../events/index.ts'
import type { Header, Repair } from '../events/request.ts'
import { base64 } from './base64.ts'
import type { Encoding, ReadBlob } from './encoding.ts'

// FROZEN: logs name this encoder. A change that alters output bytes is `openai-chat-v2.ts`.
// Source: the Chat Completions API reference (messages, tools, stream_options) and the quirks table's own sources.

type Assistant = EventNamed<'assistant/message'>

/** What stands for a tool's result when there is nothing to show, or none was ever recorded. */
const noOutput = '(no output)'
const noResult = '(no result was recorded for this call; its outcome is unknown)'

/**
 * Pictures beyond these are refused by one or another server of this dialect: bytes, pixels of the longer side, and
 * pixels once there are many.
 */
const mostBytes = 5_000_000
const mostSide = 8_000
const many = 20
const manySide = 2_000

/** Chat Completions: `{"model","tools","messages":[…], parameters}`. */
export function openaiChatV1(header: Header, blob: ReadBlob): Encoding {
  const walk = new Walk(header, blob)
  return {
    head: headOf(header),
    tail: tailOf(header),
    repairs: walk.repairs,
    message: (event) => walk.message(event),
    closing: () => walk.closing(),
    extra: (content) => walk.extra(content),
  }
}

function headOf({ model, tools }: Header): string {
  const table = tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }))
  const list = table.length > 0 ? `"tools":${JSON.stringify(table)},` : ''
  return `{"model":${JSON.stringify(model)},${list}"messages":[`
}

function tailOf({ quirks, limits, parameters, tools }: Header): string {
  // What the head already says may not be said again: a reader of JSON would believe the second.
  const { model: _model, tools: _tools, messages: _messages, ...given } = parameters
  const tail = {
    stream: true,
    ...(quirks.usageInStream && { stream_options: { include_usage: true } }),
    ...(limits.maxOutput !== null && { [quirks.maxTokensField]: limits.maxOutput }),
    ...(tools.length > 0 &&
      quirks.parallelCalls !== 'omit' && { parallel_tool_calls: quirks.parallelCalls === 'true' }),
    ...given,
  }
  return `],${JSON.stringify(tail).slice(1)}`
}

class Walk {
  readonly repairs: Repair[] = []
  readonly #header: Header
  readonly #blob: ReadBlob
  /** Calls without a result so far, in order: the log's id, which an old log may repeat, and the id on the wire. */
  #open: { readonly call: string; readonly id: string; readonly seq: number }[] = []
  readonly #used = new Set<string>()
  #first = true
  #pictures = 0
  #largePicture = false

  constructor(header: Header, blob: ReadBlob) {
    this.#header = header
    this.#blob = blob
  }

  message(event: MessageEvent): string {
    switch (event.type) {
      case 'system/message':
        return this.#closed(event.seq) + this.#plain(event.seq, this.#header.quirks.systemRole, event.data.text)
      case 'user/message': {
        const content = this.#userContent(event.data.content, event.seq)
        return this.#closed(event.seq) + (content === '' ? '' : this.#separated({ role: 'user', content }))
      }
      case 'assistant/message':
        return this.#closed(event.seq) + this.#assistant(event)
      case 'tool/result':
        return this.#result(event)
    }
  }

  closing(): { text: string; repairs: Repair[] } {
    const text = this.#open.map(({ id }) => `,${JSON.stringify(toolMessage(id, noResult))}`).join('')
    return { text, repairs: this.#open.map(({ seq }) => ({ seq, rule: 'missing-result' })) }
  }

  /** Leaves no trace in this walk: the next request goes on as if it had not been there. */
  extra(content: readonly Content[]): string {
    const before = { pictures: this.#pictures, large: this.#largePicture, repairs: this.repairs.length }
    const text = this.#userContent(content, 0)
    this.#pictures = before.pictures
    this.#largePicture = before.large
    this.repairs.length = before.repairs
    if (text === '') return ''
    return (this.#first ? '' : ',') + JSON.stringify({ role: 'user', content: text })
  }

  #separated(message: object): string {
    const text = (this.#first ? '' : ',') + JSON.stringify(message)
    this.#first = false
    return text
  }

  /** Text where text is enough, parts where there is a picture; '' when there is nothing to say. */
  #userContent(content: readonly Content[], seq: number): string | object[] {
    const kept = content.filter((part) => part.type !== 'text' || !this.#blank(part.text, seq))
    if (kept.every((part) => part.type === 'text')) return kept.map((part) => part.text).join('\n')
    return kept.map((part) => (part.type === 'text' ? { type: 'text', text: part.text } : this.#picture(part, seq)))
  }

  /** A picture that is not there, or that servers refuse, is described, so that the words beside it get through. */
  #picture(part: ImageContent, seq: number): object {
    const bytes = this.#admits(part) ? this.#blob(part.blob) : undefined
    if (!bytes) {
      this.repairs.push({ seq, rule: 'no-image' })
      return { type: 'text', text: described(part) }
    }
    this.#pictures++
    this.#largePicture ||= side(part) > manySide
    return { type: 'image_url', image_url: { url: `data:${part.mime};base64,${base64(bytes)}` } }
  }

  /** Decided from what stands before it alone, so that a later picture never changes an earlier message. */
  #admits(part: ImageContent): boolean {
    if (part.bytes > mostBytes || side(part) > mostSide) return false
    return this.#pictures < many || !(this.#largePicture || side(part) > manySide)
  }

  #plain(seq: number, role: string, content: string): string {
    return this.#blank(content, seq) ? '' : this.#separated({ role, content })
  }

  #assistant({ seq, data }: Assistant): string {
    const text = data.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
    const calls = data.content.filter((block) => block.type === 'call').map((call) => this.#call(call, seq))
    const blank = text.trim() === ''
    if (blank && calls.length === 0) {
      this.repairs.push({ seq, rule: 'blank-text' })
      return ''
    }
    return this.#separated({
      role: 'assistant',
      ...(blank ? this.#noContent() : { content: text }),
      ...this.#reasoning(data, calls.length > 0, seq),
      ...(calls.length > 0 && { tool_calls: calls }),
    })
  }

  #noContent(): object {
    const how = this.#header.quirks.emptyContent
    return how === 'omit' ? {} : { content: how === 'null' ? null : '' }
  }

  /** Goes back on messages that call tools, to the adapter that produced it, where the server takes it. */
  #reasoning(data: Assistant['data'], hasCalls: boolean, seq: number): object {
    const text = data.content.map((block) => (block.type === 'reasoning' ? block.text : '')).join('')
    const foreign = data.origin.provider !== this.#header.provider || data.origin.dialect !== this.#header.dialect
    if (foreign && data.content.some(isPrivate)) this.repairs.push({ seq, rule: 'foreign-private' })
    const field = this.#header.quirks.reasoningField
    if (text === '' || !hasCalls || field === 'none') return {}
    if (!foreign) return { [field]: text }
    this.repairs.push({ seq, rule: 'foreign-reasoning' })
    return {}
  }

  #call(call: CallBlock, seq: number): object {
    const id = this.#unused(call.id, seq)
    if (id !== call.id) this.repairs.push({ seq, rule: 'duplicate-id' })
    this.#used.add(id)
    this.#open.push({ call: call.id, id, seq })
    const name = call.name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64)
    if (name !== call.name || name === '') this.repairs.push({ seq, rule: 'bad-name' })
    const body = { name: name === '' ? 'unnamed' : name, arguments: this.#arguments(call, seq) }
    return { id, type: 'function', function: body }
  }

  #unused(given: string, seq: number): string {
    const id = given.trim() === '' ? 'call' : given
    if (!this.#used.has(id)) return id
    let number = 1
    let next = `${id}-${seq}`
    while (this.#used.has(next)) next = `${id}-${seq}-${++number}`
    return next
  }

  /** Some servers refuse a history whose arguments do not parse, so what does not is wrapped, readable. */
  #arguments(call: CallBlock, seq: number): string {
    if (call.arguments.trim() === '') return '{}'
    try {
      const value: unknown = JSON.parse(call.arguments)
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return call.arguments
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
    }
    this.repairs.push({ seq, rule: 'bad-arguments' })
    return JSON.stringify({ not_json: call.arguments })
  }

  #result({ seq, data }: EventNamed<'tool/result'>): string {
    const at = this.#open.findIndex(({ call }) => call === data.call)
    const open = this.#open[at]
    if (!open) {
      this.repairs.push({ seq, rule: 'orphan-result' })
      return ''
    }
    this.#open.splice(at, 1)
    const text = data.content.map((part) => (part.type === 'text' ? part.text : described(part))).join('\n')
    return this.#separated(toolMessage(open.id, text.trim() === '' ? noOutput : text))
  }

  /** Results for calls that were left open, before anything else may follow. */
  #closed(seq: number): string {
    let text = ''
    for (const { id } of this.#open) {
      text += this.#separated(toolMessage(id, noResult))
      this.repairs.push({ seq, rule: 'missing-result' })
    }
    this.#open = []
    return text
  }

  #blank(text: string, seq: number): boolean {
    if (text.trim() !== '') return false
    this.repairs.push({ seq, rule: 'blank-text' })
    return true
  }
}

const toolMessage = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content })
const isPrivate = (block: Block): boolean => block.type === 'private'
const side = ({ width = 0, height = 0 }: ImageContent): number => Math.max(width, height)
const described = (part: Content): string =>
  part.type === 'text' ? part.text : `[picture, ${part.mime}, ${part.bytes} bytes, not shown to this model]`
