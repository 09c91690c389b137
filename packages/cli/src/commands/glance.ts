import type { LogEnds } from '@rein/harness'
import type { SessionEntry, TurnOutcome } from '@rein/session'
import { fieldsOf, parsed, textOf } from '../view/json.ts'

/** What the ends of a log say about a session. */
export interface Glance {
  /** The title it was given, else the first line of the first prompt; '' when neither is near an end. */
  readonly title: string
  /** The whole first prompt, as far as it was read. */
  readonly prompt: string
  /** How the last turn ended; `open` while none has ended since it began; null when no turn ever began. */
  readonly outcome: TurnOutcome | 'open' | null
}

/** Lines may be cut at the edges or damaged: whatever does not parse is passed over. */
export function glance(ends: LogEnds | undefined, state: SessionEntry['state']): Glance {
  if (!ends) return { title: '', prompt: '', outcome: null }
  const head = ends.head.split('\n')
  const tail = ends.tail.split('\n')
  const prompt = firstPrompt(head)
  const title = titleIn(tail) ?? titleIn(head) ?? prompt.trim().split('\n', 1)[0] ?? ''
  const outcome = lastOutcome(tail) ?? lastOutcome(head)
  // Only the middle of a long turn shows neither its beginning nor its end.
  return { title, prompt, outcome: outcome ?? (ends.tail === '' || state === 'broken' ? null : 'open') }
}

/** What the person posted first. It stands in the inbox before it is a message, ahead of a system text of any length. */
function firstPrompt(lines: readonly string[]): string {
  for (const line of lines) {
    if (!line.includes('"kind":"person"') && !isCutPost(line)) continue
    const event = parsed(line)
    const data = fieldsOf(fieldsOf(event)['data'])
    const [item] = Array.isArray(data['insert']) ? data['insert'] : [data]
    const { content, source } = fieldsOf(item)
    if (event === undefined) return cutText(line)
    if (fieldsOf(source)['kind'] !== 'person' || !Array.isArray(content)) continue
    const text = content.map((part) => textOf(fieldsOf(part)['text']) ?? '').join('\n')
    if (text.trim() !== '') return text
  }
  return ''
}

/** A prompt longer than the part that was read. */
const isCutPost = (line: string): boolean => /"type":"inbox\/spliced"/.test(line) && !line.endsWith('"}')

/** The text a line that was cut begins with. */
function cutText(line: string): string {
  const [, text = ''] = /"text":"((?:[^"\\]|\\.)*)/.exec(line) ?? []
  return textOf(parsed(`"${text}"`)) ?? ''
}

function titleIn(lines: readonly string[]): string | undefined {
  const line = lines.findLast((each) => each.includes('"type":"session/title"'))
  return line === undefined ? undefined : textOf(fieldsOf(fieldsOf(parsed(line))['data'])['title'])
}

const outcomes: { readonly [outcome in TurnOutcome]: true } = {
  completed: true,
  'max-tokens': true,
  blocked: true,
  cancelled: true,
  interrupted: true,
  budget: true,
  error: true,
}
const isOutcome = (text: string | undefined): text is TurnOutcome => text !== undefined && Object.hasOwn(outcomes, text)

function lastOutcome(lines: readonly string[]): TurnOutcome | 'open' | undefined {
  for (const line of lines.toReversed()) {
    if (!line.includes('"type":"turn/')) continue
    const { type, data } = fieldsOf(parsed(line))
    const outcome = textOf(fieldsOf(data)['outcome'])
    if (type === 'turn/end' && isOutcome(outcome)) return outcome
    if (type === 'turn/start') return 'open'
  }
  return undefined
}
