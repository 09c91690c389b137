import { nodeHasher } from '@rein/harness'
import { Derivation, type EventNamed, header, type SessionEvent, SessionLog, surface } from '@rein/session'
import { Witness } from '../packages/harness/src/agent/witness.ts'
import { madeLog, noBlobs, nowhere, ports, someHeader } from './made-logs.ts'
import { cpu, inTurn, median, type Row } from './measure.ts'

/** Kilobytes of new tool result in a step, and how many such steps the session has. */
const cases = [
  { size: 1, steps: 300 },
  { size: 1, steps: 5000 },
  { size: 16, steps: 300 },
  { size: 128, steps: 60 },
] as const
/** Only the last steps count. */
const counted = 50

interface Step {
  readonly before: readonly SessionEvent[]
  readonly sent: EventNamed<'request/sent'>
}

/** What it costs a step to prove, from the lines that were stored since the last one, what is about to leave. */
export async function assertion(): Promise<Row[]> {
  const probes: Record<string, () => Promise<readonly number[]>> = {}
  for (const each of cases) {
    const { log } = await madeLog({ steps: each.steps, header: someHeader, results: [each.size * 1024] })
    const script = stepsOf(log.events)
    probes[`ours ${nameOf(each)}`] = () => witnessed(script)
    probes[`bare ${nameOf(each)}`] = () => bareProofs(script)
  }
  const taken = await inTurn(7, probes)
  return cases.map((each): Row => {
    const [ours = Number.NaN, bare = Number.NaN] = [taken[`ours ${nameOf(each)}`], taken[`bare ${nameOf(each)}`]]
    const budget = { words: '≤ 100 µs + 1 µs a new KB', limit: 100 + each.size }
    const note = 'bare: JSON.parse of the new lines, JSON.stringify and SHA-256 of the messages'
    return { name: `production assertion, ${nameOf(each)}`, unit: 'CPU µs', ours, bare, budget, note }
  })
}

const nameOf = ({ size, steps }: (typeof cases)[number]): string => `${size} KB new at step ${steps}`

function stepsOf(events: readonly SessionEvent[]): Step[] {
  const found: Step[] = []
  let before: SessionEvent[] = []
  for (const event of events) {
    if (event.type === 'request/sent') {
      found.push({ before, sent: event })
      before = [event]
    } else before.push(event)
  }
  return found
}

/** Append the same events to a log that is watched, derive as the agent does, and count only what the witness takes. */
async function witnessed(script: readonly Step[]): Promise<readonly number[]> {
  const log = new SessionLog({ ports, sink: nowhere })
  const made = { hasher: nodeHasher, blob: noBlobs }
  using witness = new Witness(log, made)
  const derivation = new Derivation({ ...made, keep: true })
  const takes: number[] = []
  for (const { before, sent } of script) {
    for (const { type, data, surface: move } of before) log.append(type, data, move && { surface: move })
    await log.written()
    const body = bodyOf(derivation, log, sent)
    takes.push(await cpu(() => confirm(witness, sent, body)))
  }
  return microseconds(takes)
}

function bodyOf(derivation: Derivation, log: SessionLog, { data }: EventNamed<'request/sent'>): readonly Uint8Array[] {
  const inForce = log.state(header)
  if (!inForce) throw new Error('the log has no header')
  const from = { surface: log.state(surface), header: inForce.header, headerSeq: inForce.seq, at: data.at, extra: null }
  const derived = derivation.derive(from, log.events)
  if (!derived.ok) throw new Error(derived.failure.message)
  return derived.value.body
}

function confirm(witness: Witness, sent: EventNamed<'request/sent'>, body: readonly Uint8Array[]): void {
  if (!witness.confirms(sent, body)) throw new Error(`the witness refused request ${sent.data.id}`)
}

async function bareProofs(script: readonly Step[]): Promise<readonly number[]> {
  const hash = nodeHasher()
  const takes: number[] = []
  for (const { before } of script.slice(-counted)) {
    const lines = before.filter((event) => event.surface !== undefined).map((event) => JSON.stringify(event))
    takes.push(
      await cpu(() => {
        for (const line of lines) hash.update(JSON.stringify((JSON.parse(line) as SessionEvent).data))
        hash.copy().digest()
      }),
    )
  }
  return microseconds(takes)
}

/** One figure a run, so that a long run does not count more. */
const microseconds = (takes: readonly number[]): readonly number[] => [median(takes.slice(-counted)) * 1000]
