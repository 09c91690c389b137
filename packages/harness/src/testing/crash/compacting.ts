import { type MessageEvent, surface } from '@rein/session'
import type { CrashAgent } from './process.ts'

/** Messages on the surface from which on it is compacted. */
const most = 5

/** As a plugin does it: before a request all but the system text becomes one message, which says what was asked and done. */
export function compacting({ agent, hooks, scope }: CrashAgent): void {
  let compactions = 0
  hooks.aroundRequest.wrap(scope, 'compacting', async (run, next) => {
    const { log } = agent.session
    const messages = log.state(surface).messages.slice().slice(1)
    const [first, last] = [messages[0], messages.at(-1)]
    const sent = log.events.findLast((event) => event.type === 'request/sent')
    if (!first || !last || !sent || messages.length < most) return next(run)
    const id = `compaction-${first.seq}-${++compactions}`
    log.append('compaction/start', { id, reason: 'threshold', range: [first.seq, last.seq] })
    await log.written()
    const text = summary(messages)
    log.append('compaction/summary', { id, request: sent.data.id, text })
    const content = [{ type: 'text', text }] as const
    const sources = messages.map(({ seq }) => seq)
    const data = { content, source: { kind: 'plugin', name: 'compacting' } } as const
    log.append('user/message', data, { surface: { replace: [first.seq, last.seq] }, sources })
    await log.written()
    log.append('compaction/end', { id, outcome: 'accepted' })
    return next(run)
  })
}

/** Every order as it was given, and the last result of each label, as the obedient model reads them. */
function summary(messages: readonly MessageEvent[]): string {
  const labels = new Map<string, string>()
  const lines: string[] = []
  for (const message of messages) {
    if (message.type === 'assistant/message')
      for (const block of message.data.content)
        if (block.type === 'call') labels.set(block.id, JSON.parse(block.arguments).label)
    if (message.type === 'user/message')
      lines.push(
        ...textOf(message)
          .split('\n')
          .filter((line) => /^(do|result): /.test(line)),
      )
    if (message.type === 'tool/result')
      lines.push(`result: ${labels.get(message.data.call)} ${JSON.stringify(textOf(message))}`)
  }
  return lines.join('\n')
}

const textOf = ({ data: { content } }: Extract<MessageEvent, { type: 'user/message' | 'tool/result' }>): string =>
  content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
