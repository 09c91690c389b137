import { textDiff } from '@rein/harness'
import type { SessionEvent } from '@rein/session'
import { count, counted } from '../view/amount.ts'
import { diffLines } from '../view/diff-lines.ts'
import { type Fields, fieldsOf, parsed } from '../view/json.ts'
import type { Paint } from '../view/paint.ts'
import { oneLine, safeText } from '../view/safe-text.ts'
import { readable } from './readable.ts'
import { causesOf } from './request-causes.ts'
import type { SentRequest } from './sent-request.ts'

interface Part {
  readonly name: string
  readonly text: string
}

/** Lines of one difference that are shown at most. */
const MOST = 200
/** Characters of one line about a cause. */
const WIDEST = 200

/** Two requests, message by message: what differs, and the events that made the difference. */
export async function requestDiff(
  one: SentRequest,
  other: SentRequest,
  { events, paint }: { readonly events: readonly SessionEvent[]; readonly paint: Paint },
): Promise<string> {
  const [before, after] = [partsOf(one), partsOf(other)]
  const lines = [titleOf(one, paint), titleOf(other, paint), '', ...causes(one, other, { events, paint }), '']
  const { head, messages, tail } = paired(before, after)
  for (const pair of [...head, ...messages, ...tail]) for (const line of await shown(pair, paint)) lines.push(line)
  if (one.body.equals(other.body)) lines.push(paint.green('the same bytes'))
  return `${lines.join('\n')}\n`
}

function titleOf({ number, sent, body, messages }: SentRequest, { bold, dim }: Paint): string {
  const { kind, id } = sent.data
  const about = `event ${sent.seq}, ${counted(messages.length, 'message')}, ${count(body.length)} bytes`
  return `${bold(`request ${number}`)} ${dim(`${safeText(id)} (${kind}): ${about}`)}`
}

/** Head, messages and tail of a body as readable text, whatever the dialect calls its list of messages. */
function partsOf({ body }: SentRequest): { readonly head: Part; readonly messages: readonly Part[] } {
  const fields: Fields = fieldsOf(parsed(body.toString('utf8')))
  const key = ['messages', 'input', 'contents'].find((name) => Array.isArray(fields[name]))
  const list = key === undefined ? undefined : fields[key]
  const messages: readonly unknown[] = Array.isArray(list) ? list : []
  const rest = Object.fromEntries(Object.entries(fields).filter(([name]) => name !== key))
  return {
    head: { name: 'head and parameters', text: readable(rest) },
    messages: messages.map((message, at) => ({
      name: `message ${at + 1} (${oneLine(String(fieldsOf(message)['role'] ?? 'message'), 20)})`,
      text: readable(message),
    })),
  }
}

interface Pair {
  readonly before: Part | undefined
  readonly after: Part | undefined
}

type Parts = ReturnType<typeof partsOf>

/** Messages that are the same at the beginning and at the end are matched; what lies between is compared in order. */
function paired(one: Parts, other: Parts) {
  const [a, b] = [one.messages, other.messages]
  let first = 0
  while (first < a.length && first < b.length && a[first]?.text === b[first]?.text) first++
  let last = 0
  while (last < a.length - first && last < b.length - first && a.at(-1 - last)?.text === b.at(-1 - last)?.text) last++
  const same = (from: number, many: number): readonly Pair[] =>
    many === 0 ? [] : [{ before: range(a, from, many), after: range(a, from, many) }]
  const middle: Pair[] = []
  for (let at = first; at < Math.max(a.length, b.length) - last; at++)
    middle.push({ before: at < a.length - last ? a[at] : undefined, after: at < b.length - last ? b[at] : undefined })
  return {
    head: [{ before: one.head, after: other.head }],
    messages: [...same(0, first), ...middle],
    tail: same(a.length - last, last),
  }
}

const range = (list: readonly Part[], from: number, many: number): Part | undefined =>
  many === 1 ? list[from] : { name: `messages ${from + 1} to ${from + many}`, text: '' }

async function shown({ before, after }: Pair, paint: Paint): Promise<readonly string[]> {
  const name = after?.name ?? before?.name ?? ''
  if (before?.text === after?.text) return [`${paint.bold(name)} ${paint.dim('the same')}`]
  const what = before === undefined ? paint.green('added') : after === undefined ? paint.red('removed') : 'changed'
  const diff =
    before === undefined || after === undefined
      ? signed(after?.text ?? before?.text ?? '', before === undefined ? '+' : '-')
      : (await textDiff(before.text, after.text)).diff
  return [`${paint.bold(name)} ${what}`, ...diffLines(diff, { paint, lines: MOST }).map((line) => `  ${line}`)]
}

const signed = (text: string, sign: '+' | '-'): string =>
  text
    .split('\n')
    .map((line) => sign + line)
    .join('\n')

/** What happened in the log between the two requests, as far as it changed what was sent. */
function causes(
  one: SentRequest,
  other: SentRequest,
  { events, paint }: { readonly events: readonly SessionEvent[]; readonly paint: Paint },
): readonly string[] {
  const lines = causesOf(one, other, events).flatMap(({ seq, what, parts }) => [
    `  event ${seq}  ${oneLine(what, WIDEST)}`,
    ...parts.map((part) => `      ${oneLine(part, WIDEST)}`),
  ])
  const late = one.sent.seq <= other.sent.seq ? other : one
  const { broke } = late.sent.data
  const moved = broke && `  ${paint.yellow(`the front moved with event ${broke.event} (${safeText(broke.owner)})`)}`
  const none = lines.length === 0 ? [paint.dim('  no event between them changed what is sent')] : []
  return [paint.bold('what made the difference'), ...lines, ...none, ...(moved === undefined ? [] : [moved])]
}
