import { notStartedText } from '@rein/session'
import type { ChatMessage, ChatRequest } from '../../model/chat-request.ts'
import type { Provider } from '../../model/provider.ts'
import { scriptedProvider } from '../../model/scripted.ts'
import type { ScriptedReply } from '../../model/scripted-reply.ts'
import type { World } from './world.ts'

/**
 * A model that does what it is told and believes what it reads. A message `do: act1 | look2+look3` asks for the call of
 * `act1`, and once that has a result for those of `look2` and `look3` together. A call that was not started is asked for
 * again; every other result, unknown outcomes included, is taken as it stands. So whatever runs twice ran twice because
 * the log said something false.
 */
export function obedientModel(world: World): Provider {
  const reply = (request: ChatRequest): ScriptedReply => {
    const labels = nextLabels(request.messages)
    const calls = labels.map((label) => ({ name: toolOf(label), arguments: { label }, id: world.callId() }))
    // What goes wrong goes wrong with calls: a fault that a crash kept from happening must not end the turn after it.
    return calls.length > 0 ? { text: 'At once.', calls, ...world.nextFault() } : { text: 'All is done.' }
  }
  const model = (): Provider => scriptedProvider({ name: 'obedient', script: [reply] })
  const { name, dialect } = model()
  return {
    name,
    dialect,
    facts: (of) => model().facts(of),
    stream: (request, signal) => model().stream(request, signal),
  }
}

/** The tool of a label: `act1` is a call of `act`. */
export const toolOf = (label: string): string => label.replace(/\d+$/, '')

const order = /^do: (.*)$/gm
const told = /^result: (\S+) (.*)$/gm

function nextLabels(messages: readonly ChatMessage[]): readonly string[] {
  const results = resultsIn(messages)
  const orders = messages.flatMap((message) => (message.role === 'user' ? [...textOf(message).matchAll(order)] : []))
  for (const [, text = ''] of orders) {
    for (const stage of text.split(' | ')) {
      const open = stage.split('+').filter((label) => (results.get(label) ?? notStartedText) === notStartedText)
      if (open.length > 0) return open
    }
  }
  return []
}

/** What was said last of each label; a message that stands for many tells each in a line `result: act1 "act1 happened"`. */
function resultsIn(messages: readonly ChatMessage[]): ReadonlyMap<string, string> {
  const labels = new Map<string, string>()
  const results = new Map<string, string>()
  for (const message of messages) {
    if (message.role === 'user')
      for (const [, label = '', text = '""'] of textOf(message).matchAll(told)) results.set(label, JSON.parse(text))
    for (const call of message.tool_calls ?? []) labels.set(call.id, JSON.parse(call.function.arguments).label)
    const label = labels.get(message.tool_call_id ?? '')
    if (label !== undefined) results.set(label, textOf(message))
  }
  return results
}

function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content
  return (content ?? []).map((part) => String(part['text'] ?? '')).join('\n')
}
