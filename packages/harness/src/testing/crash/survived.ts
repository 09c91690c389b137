import type { EventNamed, LiveSession, NewHasher, SessionEvent, Store } from '@rein/session'
import { fold, inbox, notStartedText, owed, readLog, turns, unknownText, verify, waitingIn } from '@rein/session'
import type { CrashAgent } from './process.ts'
import type { World } from './world.ts'

/** What must hold of a session that was opened after a crash, beside what its log says itself. */
export interface Expected {
  readonly world: World
  /** Lines its dead processes were told are safe, by position; empty text where they did not write one. */
  readonly safe: readonly string[]
  /** Ids that others posted and the store still has. */
  readonly posted: ReadonlySet<string>
}

/** Everything open is closed, nothing acknowledged is gone, and the model is told the truth of every call. */
export function problemsOnOpening({ log }: LiveSession, raw: readonly string[], expected: Expected): readonly string[] {
  const { events } = log
  const problems: string[] = []
  for (const [kind, open] of Object.entries(fold(owed, events)))
    if (Array.isArray(open) && open.length > 0) problems.push(`${kind} are open: ${JSON.stringify(open)}`)
  if (fold(owed, events).retry) problems.push('a retry is open')
  const at = fold(turns, events)
  if (at.turnOpen || at.stepOpen) problems.push('a turn or step is open')
  for (const [position, line] of expected.safe.entries())
    if (line !== '' && raw[position] !== line)
      problems.push(`line ${position}, which was acknowledged, is gone: ${line}`)
  return [...problems, ...callProblems(events), ...inputProblems(events, expected)]
}

function callProblems(events: readonly SessionEvent[]): string[] {
  const problems: string[] = []
  const started = new Set<string>()
  const results = new Map<string, EventNamed<'tool/result'>[]>()
  for (const event of events) {
    if (event.type === 'tool/call') started.add(event.data.call)
    if (event.type === 'tool/result' && event.surface === 'append')
      results.set(event.data.call, [...(results.get(event.data.call) ?? []), event])
  }
  for (const id of callsIn(events).keys()) {
    const [result, ...more] = results.get(id) ?? []
    if (!result || more.length > 0) problems.push(`call ${id} has ${more.length + (result ? 1 : 0)} results`)
    const kind = result?.data.outcome.kind
    const [part] = result?.data.content ?? []
    const text = part?.type === 'text' ? part.text : ''
    if (kind === 'unknown' && text !== unknownText) problems.push(`call ${id} is unknown and says ${text}`)
    if (kind === 'not-started' && text !== notStartedText) problems.push(`call ${id} did not start and says ${text}`)
    if (kind === 'not-started' && started.has(id)) problems.push(`call ${id} started and says it did not`)
  }
  return problems
}

/** Every acknowledged item is in the log once, or waits in the store; what was not claimed still waits. */
function inputProblems(events: readonly SessionEvent[], { world, posted }: Expected): string[] {
  const id = idIn(events)
  const waiting = new Set(waitingIn(fold(inbox, events)).map((item) => item.id))
  const lossy = events.some((event) => event.type === 'session/damage' && event.data.events > 0)
  return [...(world.posted.get(id) ?? [])].flatMap((item) => {
    const { entered, said, removed } = lifeOf(item, events)
    if (entered === 0 && said === 0 && posted.has(item)) return []
    if (entered > 1 || said > 1) return [`item ${item} entered ${entered} times and was said ${said} times`]
    if (entered + said === 0) return [`item ${item} was acknowledged and is nowhere`]
    const gone = said > 0 || removed.some((reason) => reason !== 'withdrawn' || lossy)
    return gone || waiting.has(item) ? [] : [`item ${item} was neither claimed nor does it wait`]
  })
}

function lifeOf(item: string, events: readonly SessionEvent[]) {
  const removed: string[] = []
  let entered = 0
  let said = 0
  for (const event of events) {
    if (event.type === 'user/message' && event.data.item === item) said++
    if (event.type !== 'inbox/spliced') continue
    if (event.data.insert.some(({ id }) => id === item)) entered++
    if (event.data.remove.includes(item)) removed.push(event.data.reason)
  }
  return { entered, said, removed }
}

/** After it went on to the end: all input is dealt with, no effect is doubled, what is said to be done is, all is proved. */
export async function problemsAtTheEnd(
  { agent }: CrashAgent,
  { world, torn, hasher, store }: { world: World; torn: boolean; hasher: NewHasher; store: Store },
): Promise<readonly string[]> {
  const { events } = agent.session.log
  const problems: string[] = []
  const last = events.findLast((event) => event.type === 'turn/end')
  if (last?.data.outcome !== 'completed') problems.push(`the last turn ended ${JSON.stringify(last?.data)}`)
  if (waitingIn(fold(inbox, events)).length > 0) problems.push('input still waits')
  problems.push(...inputProblems(events, { world, safe: [], posted: new Set() }), ...callProblems(events))
  for (const [label, times] of world.effects) if (times > 1) problems.push(`${label} happened ${times} times`)
  for (const [id, label] of callsIn(events)) {
    const result = events.find((event) => event.type === 'tool/result' && event.data.call === id)
    const kind = result?.type === 'tool/result' ? result.data.outcome.kind : 'nothing'
    const happened = label.startsWith('look') ? undefined : (world.effects.get(label) ?? 0)
    if (kind === 'done' && happened === 0) problems.push(`${label} is said to be done and never happened`)
    if (kind === 'denied' && happened !== 0) problems.push(`${label} was denied and happened`)
  }
  const bytes = await store.read(agent.session.id)
  const read = bytes.ok ? await readLog(bytes.value, { hasher }) : bytes
  if (!read.ok) return [...problems, `it cannot be read: ${read.failure.message}`]
  const { answer, problems: found } = verify(read.value, { hasher, blob: () => undefined })
  const right = answer === 'clean' || (torn && answer === 'declared damage')
  return right ? problems : [...problems, `verify answers ${answer}: ${found.join('; ')}`]
}

/** The label of every call a message asked for, by call id. */
function callsIn(events: readonly SessionEvent[]): ReadonlyMap<string, string> {
  const asked = events.flatMap((event) => (event.type === 'assistant/message' ? event.data.content : []))
  return new Map(
    asked.flatMap((block) => (block.type === 'call' ? [[block.id, String(JSON.parse(block.arguments).label)]] : [])),
  )
}

const idIn = (events: readonly SessionEvent[]): string => {
  const named = events.findLast((event) => event.type === 'session/fork' || event.type === 'session/start')
  return named?.data.id ?? ''
}
