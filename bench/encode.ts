import { nodeHasher } from '@rein/harness'
import { Derivation, type SessionEvent, type Surface, surface } from '@rein/session'
import { madeLog, mixed, noBlobs, someHeader } from './made-logs.ts'
import { cpu, inTurn, type Row } from './measure.ts'

const length = 5000
/** Requests derived one after the other, so that the clock sees enough. */
const run = 400

/** A request of the log: where it stands, and the surface it is derived from. */
interface Point {
  readonly at: number
  readonly surface: Surface
}

/** What deriving a request costs: the next one of a session, and a whole one anew, as the first after a resume. */
export async function encode(): Promise<Row[]> {
  const { log } = await madeLog({ steps: length + 1, header: someHeader, results: mixed })
  const deriver = deriverOf(log.events)
  const points = pointsOf(log.events)
  const late = points.slice(-run)
  const early = points.slice(10, 10 + run)
  const whole = points.slice(-1)
  const messages = [...(whole[0]?.surface.messages ?? [])].map(({ data }) => data)
  const taken = await inTurn(7, {
    early: () => eachNext(deriver, early),
    late: () => eachNext(deriver, late),
    bare: async () => ((await cpu(() => bareSteps(messages))) / run) * 1000,
    whole: () => cpu(() => deriver().all(whole)),
    bareWhole: () => cpu(() => bareBody(messages)),
  })
  const unit = 'CPU µs'
  const { early: at10, late: at5000, bare } = taken
  const note = 'bare: JSON.stringify of the new messages and SHA-256'
  const kilobytes = Math.round(JSON.stringify(messages).length / 1024)
  const wholeNote = `request of ${kilobytes} KB; bare: JSON.stringify of its messages and SHA-256`
  return [
    { name: 'derive the next request, steps 10 to 410', unit, ours: at10, bare, note },
    { name: `derive the next request, up to step ${length}`, unit, ours: at5000, bare, note },
    {
      name: `derive request ${length} anew`,
      unit: 'CPU ms',
      ours: taken.whole,
      bare: taken.bareWhole,
      note: wholeNote,
    },
  ]
}

function pointsOf(events: readonly SessionEvent[]): Point[] {
  const points: Point[] = []
  let state = surface.initial
  for (const event of events) {
    state = surface.step(state, event)
    if (event.type === 'step/start') points.push({ at: event.seq, surface: state })
  }
  return points
}

type Deriver = () => { all(points: readonly Point[]): void }

const deriverOf =
  (events: readonly SessionEvent[]): Deriver =>
  () => {
    const headerSeq = events.findIndex(({ type }) => type === 'request/header')
    const derivation = new Derivation({ hasher: nodeHasher, blob: noBlobs, keep: true })
    const one = ({ at, surface: state }: Point) => {
      const made = derivation.derive({ surface: state, header: someHeader, headerSeq, at, extra: null }, events)
      if (!made.ok) throw new Error(made.failure.message)
    }
    return { all: (points) => points.forEach(one) }
  }

/** @returns microseconds a request, each derived from the one before; the first of them, made anew, does not count. */
async function eachNext(deriver: Deriver, points: readonly Point[]): Promise<number> {
  const derivation = deriver()
  derivation.all(points.slice(0, 1))
  const ms = await cpu(() => derivation.all(points.slice(1)))
  return (ms / (points.length - 1)) * 1000
}

function bareSteps(messages: readonly object[]): void {
  for (let step = 1; step <= run; step++) bareBody(messages.slice(-2 * step, messages.length - 2 * step + 2))
}

function bareBody(messages: readonly object[]): string {
  return nodeHasher()
    .update(Buffer.from(JSON.stringify(messages)))
    .digest()
}
