import { addUsage, type Failure, type SessionEvent, type TurnOutcome, type Usage } from '@rein/session'

/** A call whose result is *denied*. */
export interface DeniedCall {
  readonly call: string
  readonly name: string
  readonly by: string
  readonly reason: string
}

/** How the turn of one posted item went. */
export interface TaskResult {
  readonly outcome: TurnOutcome
  /** The last reply's text; of a reply that broke off, what came of it. */
  readonly text: string
  readonly steps: number
  readonly usage: Usage
  /** US dollars; undefined when a call had no known price, or does not say what it used. */
  readonly cost: number | undefined
  readonly denied: readonly DeniedCall[]
  readonly error: Failure | undefined
}

const nothing: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }

/**
 * The result of the turn that claimed `item`; undefined while there is none: the item still waits, or its turn runs.
 * @param events the log, or any later part of it that holds everything since the item was claimed.
 */
export function resultOf(events: readonly SessionEvent[], item: string): TaskResult | undefined {
  const claimed = events.findIndex((event) => event.type === 'user/message' && event.data.item === item)
  if (claimed === -1) return withdrawn(events, item)
  const begin = events.findLastIndex((event, index) => index < claimed && event.type === 'turn/start')
  const end = events.findIndex((event, index) => index > claimed && event.type === 'turn/end')
  const last = events[end]
  if (last?.type !== 'turn/end') return undefined
  const turn = events.slice(begin, end + 1)
  const { outcome, error } = last.data
  const text = textOf(turn)
  const empty = outcome === 'completed' && text.trim() === '' ? noAnswer : undefined
  return { outcome, text, ...spentIn(turn), denied: turn.flatMap(deniedIn), error: error ?? empty }
}

/** An item that left the inbox unsaid: the gate refused it, or somebody took it back. */
function withdrawn(events: readonly SessionEvent[], item: string): TaskResult | undefined {
  const left = events.findIndex((event) => event.type === 'inbox/spliced' && event.data.remove.includes(item))
  const splice = events[left]
  if (splice?.type !== 'inbox/spliced') return undefined
  if (splice.data.insert.some(({ id }) => id === item)) return undefined
  const none = { text: '', steps: 0, usage: nothing, cost: 0, denied: [] }
  if (splice.data.reason !== 'refused') return { outcome: 'cancelled', ...none, error: undefined }
  const end = events.find((event, index) => index > left && event.type === 'turn/end')
  if (end?.type !== 'turn/end') return undefined
  return { outcome: 'blocked', ...none, error: end.data.error }
}

function textOf(turn: readonly SessionEvent[]): string {
  const reply = turn.findLast((event) => event.type === 'assistant/message')
  if (reply?.type !== 'assistant/message') return ''
  return reply.data.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n')
}

function deniedIn(event: SessionEvent): readonly DeniedCall[] {
  if (event.type !== 'tool/result' || event.data.outcome.kind !== 'denied') return []
  const { call, name, outcome } = event.data
  return [{ call, name, by: outcome.by, reason: outcome.reason }]
}

function spentIn(turn: readonly SessionEvent[]): Pick<TaskResult, 'steps' | 'usage' | 'cost'> {
  let usage = nothing
  let cost: number | undefined = 0
  for (const event of turn) {
    if (event.type !== 'request/settled') continue
    const { usage: used, cost: price, outcome } = event.data
    // What failed without a word of what it used is taken for free.
    if (used === null && outcome === 'failed') continue
    if (used !== null) usage = addUsage(usage, used)
    cost = cost === undefined || used === null || price === undefined ? undefined : cost + price
  }
  return { steps: turn.filter(({ type }) => type === 'step/start').length, usage, cost }
}

const noAnswer: Failure = {
  code: 'EMPTY_RESPONSE',
  message: 'The turn ended without an answer.',
  next: 'Ask again, or look at it with `rein show last`.',
}

/** The last line of `--json`. Without a result nothing ran. */
export function resultLine(
  session: string | null,
  exit: number,
  ended: TaskResult | { readonly error: Failure },
): string {
  const ran = 'outcome' in ended ? ended : undefined
  return JSON.stringify({
    type: 'result',
    session,
    outcome: ran?.outcome ?? null,
    exit,
    text: ran?.text ?? '',
    steps: ran?.steps ?? 0,
    usage: ran?.usage ?? nothing,
    cost: ran?.cost === undefined ? null : { usd: ran.cost },
    denied: ran?.denied ?? [],
    error: ended.error ?? null,
  })
}
