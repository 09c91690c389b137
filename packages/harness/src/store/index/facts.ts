import type { TurnOutcome } from '@rein/session'
import { type Fields, fieldsOf, listOf, numberOf, textOf, textsOf } from './json.ts'
import type { LogLine } from './log-line.ts'
import { titleOf } from './title.ts'

/** What a log says about its session, as far as it was read. JSON, so that reading can go on later. */
export interface LogFacts {
  /** Milliseconds since 1970: when this session began, for a fork when it was forked. */
  readonly created: number | null
  /** The format its first line names. */
  readonly format: number | null
  readonly title: string
  /** Who gave the title; `prompt` also when it is the first prompt's first line. Null: there is none. */
  readonly titledBy: 'person' | 'prompt' | 'model' | null
  /** The first prompt, its first 1,000 characters. */
  readonly prompt: string
  /** How the last turn ended; `open` while none has ended since it began; null when no turn ever began. */
  readonly outcome: TurnOutcome | 'open' | null
  readonly turns: number
  /** As provider/model, in the order they were first asked. */
  readonly models: readonly string[]
  /** Without what a fork copied: that was spent by its parent. */
  readonly tokens: {
    readonly input: number
    readonly cacheRead: number
    readonly cacheWrite: number
    readonly output: number
  }
  /** US dollars; null as soon as one call had no known price. */
  readonly cost: number | null
  /** What it was forked from, and the last event it shares. */
  readonly parent: { readonly id: string; readonly at: number } | null
  /** Places where something was lost: declared in the log, or lines that are no record in their place. */
  readonly damage: number
  /** The hash of the last record: what can be kept elsewhere, to tell later that nothing before it was changed. */
  readonly head: string | null
  /** The seq that is due next; -1 where any may follow. */
  readonly next: number
}

const nothing = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }

export const noFacts: LogFacts = {
  created: null,
  format: null,
  title: '',
  titledBy: null,
  prompt: '',
  outcome: null,
  turns: 0,
  models: [],
  tokens: nothing,
  cost: 0,
  parent: null,
  damage: 0,
  head: null,
  next: 0,
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
export const isOutcome = (text: string): text is TurnOutcome => Object.hasOwn(outcomes, text)

/** What is known after one more line. @param line undefined for a line that is no record. */
export function factsAfter(facts: LogFacts, line: LogLine | undefined): LogFacts {
  if (!line) return { ...facts, damage: facts.damage + 1 }
  const { seq, type } = line
  // A declared loss may stand for many events: behind it the next place is whatever comes.
  const lost = seq !== facts.next && type !== 'session/damage' && facts.next >= 0 ? 1 : 0
  const next = type === 'session/damage' ? -1 : seq + 1
  const step = steps[type]
  const after = step ? step(facts, line) : undefined
  return { ...facts, ...after, damage: (after?.damage ?? facts.damage) + lost, head: line.hash, next }
}

type Step = (facts: LogFacts, line: LogLine) => Partial<LogFacts>

/** What lines of these types say; of the others only their place counts. */
const steps: { readonly [type: string]: Step } = {
  'session/start': (_, line) => {
    const { format } = line.data
    return { created: line.time, format: typeof format === 'number' ? format : null }
  },
  'session/fork': (_, line) => {
    const { parent, at } = line.data
    return { parent: { id: textOf(parent), at: numberOf(at) }, created: line.time, tokens: nothing, cost: 0 }
  },
  'session/title': (_, line) => {
    const { title, by } = line.data
    return { title: textOf(title), titledBy: by === 'model' || by === 'prompt' ? by : 'person' }
  },
  'session/damage': ({ damage }) => ({ damage: damage + 1 }),
  'turn/start': ({ turns }) => ({ outcome: 'open', turns: turns + 1 }),
  'turn/end': ({ outcome: before }, line) => {
    const outcome = textOf(line.data['outcome'])
    return { outcome: isOutcome(outcome) ? outcome : before }
  },
  'inbox/spliced': (facts, line) => (facts.prompt === '' ? prompted(facts, listOf(line.data['insert'])) : {}),
  'user/message': (facts, line) => (facts.prompt === '' ? prompted(facts, [line.data]) : {}),
  'request/header': ({ models }, line) => {
    const { provider, model } = line.data
    const name = `${textOf(provider)}/${textOf(model)}`
    return { models: models.includes(name) ? models : [...models, name] }
  },
  'request/settled': ({ tokens, cost }, line) => spent({ tokens, cost }, line.data),
}

function prompted(facts: LogFacts, items: readonly unknown[]): Partial<LogFacts> {
  for (const item of items) {
    const { content, source } = fieldsOf(item)
    if (fieldsOf(source)['kind'] !== 'person') continue
    const text = textsOf(content).join('\n')
    if (text.trim() !== '') return withPrompt(facts, text)
  }
  return {}
}

/** A title somebody gave before stays. */
export function withPrompt({ title, titledBy }: LogFacts, text: string): Partial<LogFacts> {
  const prompt = text.slice(0, 1000).toWellFormed()
  return titledBy === null ? { prompt, title: titleOf(text), titledBy: 'prompt' } : { prompt, title, titledBy }
}

function spent({ tokens, cost }: Pick<LogFacts, 'tokens' | 'cost'>, data: Fields) {
  const { usage, outcome } = data
  // A call that failed before it used anything costs nothing.
  if (usage === null || usage === undefined) return outcome === 'failed' ? {} : { cost: null }
  const { input, cacheRead, cacheWrite, output } = fieldsOf(usage)
  return {
    tokens: {
      input: tokens.input + numberOf(input),
      cacheRead: tokens.cacheRead + numberOf(cacheRead),
      cacheWrite: tokens.cacheWrite + numberOf(cacheWrite),
      output: tokens.output + numberOf(output),
    },
    cost: cost === null || typeof data['cost'] !== 'number' ? null : cost + data['cost'],
  }
}
