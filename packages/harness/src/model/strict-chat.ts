import type { ChatMessage, ChatRequest } from './chat-request.ts'
import { type JsonObject, objectOf } from './json.ts'

/**
 * What a strict chat completions server refuses with 400: an unpaired call, a repeated id, an empty or blank message,
 * a result without its call, an unknown role, a missing model, tools whose parameters are no object schema.
 * Source: the request schema and the error texts documented for POST /v1/chat/completions.
 */
export type CheckedRequest =
  | { readonly ok: true; readonly request: ChatRequest }
  | { readonly ok: false; readonly problems: readonly string[] }

const toolName = /^[a-zA-Z0-9_-]{1,64}$/
const filled = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

/** Says what is wrong, each with its place. */
type Say = (problem: string) => void

const checkPart = (part: unknown, say: Say) => {
  const { type, text, image_url } = objectOf(part) ?? {}
  if (type === 'text') {
    if (!filled(text)) say('has a blank text part')
  } else if (type === 'image_url') {
    if (!filled(objectOf(image_url)?.['url'])) say('has an image without url')
  } else say(`has a part of unknown type ${JSON.stringify(type)}`)
}

const checkContent = (content: unknown, say: Say) => {
  if (Array.isArray(content)) {
    if (content.length === 0) say('has no content')
    for (const part of content) checkPart(part, say)
  } else if (!filled(content)) say('has empty content')
}

const checkArguments = (text: unknown, say: Say) => {
  try {
    if (typeof text === 'string' && objectOf(JSON.parse(text)) !== undefined) return
  } catch {
    // Said below, with everything else that is not the JSON of an object.
  }
  say('has a call whose arguments are not the JSON text of an object')
}

/** State of the walk over the messages: which ids were seen, and which calls still wait for their result. */
interface Walk {
  readonly ids: Set<string>
  readonly owed: Set<string>
}

const checkCall = (call: unknown, walk: Walk, say: Say) => {
  const { id, type, function: body } = objectOf(call) ?? {}
  if (type !== 'function') say('has a call whose type is not "function"')
  const { name, arguments: text } = objectOf(body) ?? {}
  if (typeof name !== 'string' || !toolName.test(name)) say(`has a call with the bad name ${JSON.stringify(name)}`)
  checkArguments(text, say)
  if (!filled(id)) say('has a call without id')
  else if (walk.ids.has(id)) say(`repeats the call id ${id}`)
  else {
    walk.ids.add(id)
    walk.owed.add(id)
  }
}

const checkAssistant = (message: JsonObject, walk: Walk, say: Say) => {
  const { content, tool_calls: calls } = message
  const empty = content === undefined || content === null || content === ''
  if (calls === undefined || !empty) checkContent(content, say)
  if (calls === undefined) return
  if (!Array.isArray(calls) || calls.length === 0) say('has tool_calls that are no filled list')
  else for (const call of calls) checkCall(call, walk, say)
}

const checkResult = (message: JsonObject, walk: Walk, say: Say) => {
  const id = message['tool_call_id']
  if (typeof id !== 'string' || !walk.owed.delete(id)) say(`answers no open call: ${JSON.stringify(id)}`)
  checkContent(message['content'], say)
}

const checkMessage = (value: unknown, walk: Walk, say: Say) => {
  const message = objectOf(value)
  const role = message?.['role']
  if (role !== 'tool' && walk.owed.size > 0) {
    say(`comes before the results of ${[...walk.owed].join(', ')}`)
    walk.owed.clear()
  }
  if (message === undefined) say('is not an object')
  else if (role === 'tool') checkResult(message, walk, say)
  else if (role === 'assistant') checkAssistant(message, walk, say)
  else if (role === 'system' || role === 'developer' || role === 'user') checkContent(message['content'], say)
  else say(`has the unknown role ${JSON.stringify(role)}`)
}

const checkMessages = (messages: unknown, problems: string[]) => {
  if (!Array.isArray(messages) || messages.length === 0) {
    problems.push('messages must be a filled list')
    return
  }
  const walk: Walk = { ids: new Set(), owed: new Set() }
  for (const [at, message] of messages.entries()) {
    checkMessage(message, walk, (problem) => problems.push(`messages[${at}] ${problem}`))
  }
  if (walk.owed.size > 0) problems.push(`messages end without the results of ${[...walk.owed].join(', ')}`)
}

const checkTools = (tools: unknown, problems: string[]) => {
  if (tools === undefined) return
  if (!Array.isArray(tools) || tools.length === 0) {
    problems.push('tools must be a filled list')
    return
  }
  const names = new Set<unknown>()
  for (const [at, tool] of tools.entries()) {
    const say: Say = (problem) => problems.push(`tools[${at}] ${problem}`)
    const { type, function: body } = objectOf(tool) ?? {}
    const { name, parameters } = objectOf(body) ?? {}
    if (type !== 'function') say('is not of type "function"')
    if (typeof name !== 'string' || !toolName.test(name)) say(`has the bad name ${JSON.stringify(name)}`)
    if (names.has(name)) say(`repeats the name ${JSON.stringify(name)}`)
    names.add(name)
    if (parameters !== undefined && objectOf(parameters)?.['type'] !== 'object') say('parameters are no object schema')
  }
}

const checkLimits = (request: JsonObject, problems: string[]) => {
  const given = ['max_tokens', 'max_completion_tokens'].filter((field) => request[field] !== undefined)
  if (given.length > 1) problems.push('max_tokens and max_completion_tokens exclude each other')
  for (const field of given) {
    const value = request[field]
    if (!Number.isInteger(value) || Number(value) < 1) problems.push(`${field} must be a whole number above 0`)
  }
  if (request['stream_options'] !== undefined && request['stream'] !== true) {
    problems.push('stream_options needs stream')
  }
}

/** Check the parsed body of a request. */
export const checkChatRequest = (body: unknown): CheckedRequest => {
  const request = objectOf(body)
  if (request === undefined) return { ok: false, problems: ['the body must be an object'] }
  const problems: string[] = []
  if (!filled(request['model'])) problems.push('model is missing')
  checkMessages(request['messages'], problems)
  checkTools(request['tools'], problems)
  checkLimits(request, problems)
  if (problems.length > 0) return { ok: false, problems }
  return {
    ok: true,
    request: {
      model: String(request['model']),
      messages: request['messages'] as readonly ChatMessage[],
      tools: (request['tools'] ?? []) as ChatRequest['tools'],
      body: request,
    },
  }
}
