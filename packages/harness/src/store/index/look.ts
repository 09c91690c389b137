import type { SessionEntry, Store } from '@rein/session'
import { factsAfter, type LogFacts, noFacts, withPrompt } from './facts.ts'
import { isDamagedEnd, logLine } from './log-line.ts'
import { beginning, type Mark, readOn } from './read-on.ts'

type Logs = Pick<Store, 'read' | 'ends'>

/** Bytes read from the beginning and from the end of a log for a first look. */
const headBytes = 32 * 1024
const tailBytes = 16 * 1024

/** What is known of a log, and up to where it was read. */
export interface Known {
  readonly facts: LogFacts
  readonly mark: Mark
}

/** What is known after reading on from what was known. */
export async function wholeFacts(store: Logs, entry: SessionEntry, known: Known | undefined): Promise<Known> {
  let { facts, mark } = known ?? { facts: noFacts, mark: beginning }
  for await (const stretch of readOn(store, entry, mark)) {
    if (stretch.anew) facts = noFacts
    for (const text of stretch.lines) facts = afterText(facts, text)
    mark = stretch.mark
  }
  return { facts, mark }
}

/** An empty line is no damage. */
const afterText = (facts: LogFacts, text: string): LogFacts =>
  text === '' || text === '\r' ? facts : factsAfter(facts, logLine(text))

/**
 * What the two ends of a log say, however long it is: title, prompt, outcome, where it comes from. The counts are those
 * of the ends alone. Undefined when it cannot be read.
 */
export async function endsFacts(store: Logs, { id }: Pick<SessionEntry, 'id'>): Promise<LogFacts | undefined> {
  const got = await store.ends(id, { head: headBytes, tail: tailBytes })
  if (!got.ok) return undefined
  const { head, tail, bytes } = got.value
  const all = head.length + tail.length >= bytes
  const first = piecesOf(all ? Buffer.concat([head, tail]) : head)
  let facts = first.slice(0, -1).reduce(afterText, noFacts)
  if (all) return afterEnd(facts, first)
  const cut = facts.prompt === '' ? cutText(first.at(-1) ?? '') : ''
  if (cut.trim() !== '') facts = { ...facts, ...withPrompt(facts, cut) }
  // Only the middle of a long turn shows neither its beginning nor its end.
  facts = { ...facts, outcome: 'open', next: -1 }
  const last = piecesOf(tail)
  return afterEnd(last.slice(1, -1).reduce(afterText, facts), last)
}

const afterEnd = (facts: LogFacts, pieces: readonly string[]): LogFacts =>
  isDamagedEnd(pieces.at(-1) ?? '') ? factsAfter(facts, undefined) : facts

/** Whole lines, and behind them what has no line end yet; of a tail the first is cut as well. */
const piecesOf = (bytes: Uint8Array): readonly string[] => Buffer.from(bytes).toString('utf8').split('\n')

/** The text that a post which was cut begins with: a prompt longer than what was read. */
function cutText(line: string): string {
  if (!/^.{0,80}"type":"inbox\/spliced"/.test(line)) return ''
  const [, text = ''] = /"text":"((?:[^"\\]|\\.)*)/.exec(line) ?? []
  try {
    return String(JSON.parse(`"${text}"`))
  } catch (error) {
    if (error instanceof SyntaxError) return ''
    throw error
  }
}
