import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { check, type DataOf, type SessionEvent } from '../../src/index.ts'
import { sessionPlan, type TurnPlan } from '../kit/plan.ts'
import { play } from '../kit/play.ts'

/**
 * One way to break one rule: a change of a legal log, or undefined where the log has nothing to break. Events keep
 * their seq, so that a breach is found where it is.
 */
interface Breach {
  readonly rule: number
  readonly what: string
  breakIt(events: readonly SessionEvent[]): readonly SessionEvent[] | undefined
}

const turn = (steps: TurnPlan['steps'], more: Partial<TurnPlan> = {}): TurnPlan => {
  return { posts: [], picture: false, steps, end: 'answer', text: 'go', sides: [], ...more }
}
const call = { name: 'bash', args: '{}', parallel: false, outcome: 'done', ask: 'none', text: 'ok' } as const
const beside = { ...call, parallel: true } as const
const step: TurnPlan['steps'][number] = {
  kind: 'calls',
  retries: 1,
  calls: [
    beside,
    beside,
    { ...call, ask: 'allowed' },
    call,
    { ...call, ask: 'denied' },
    { ...call, outcome: 'edit' },
    { ...call, outcome: 'edit' },
  ],
  text: 'on it',
  reasoning: null,
  chunks: false,
  inject: null,
}

/** Holds something to break for every rule, whatever random turns stand around it. */
const certain = [
  turn([step, { ...step, kind: 'cut' }], { sides: ['prune', 'compact', 'job', 'child', 'command'] }),
  turn([], { end: 'cut' }),
]
const legal = sessionPlan.map((plan) => play([...plan.slice(0, 2), ...certain]))

type Of<T extends SessionEvent['type']> = Extract<SessionEvent, { type: T }>

function edit<T extends SessionEvent['type']>(
  type: T,
  change: (data: DataOf<T>) => DataOf<T>,
  which: (event: Of<T>) => boolean = () => true,
): Breach['breakIt'] {
  return (events) => {
    const at = events.findLastIndex((event) => event.type === type && which(event as Of<T>))
    const event = events[at]
    return event && events.with(at, { ...event, data: change(event.data as DataOf<T>) } as SessionEvent)
  }
}

function drop<T extends SessionEvent['type']>(type: T, which: (event: Of<T>) => boolean = () => true) {
  return (events: readonly SessionEvent[]) => {
    const at = events.findLastIndex((event) => event.type === type && which(event as Of<T>))
    return at < 0 ? undefined : events.toSpliced(at, 1)
  }
}

function twice<T extends SessionEvent['type']>(type: T, which: (event: Of<T>) => boolean = () => true) {
  return (events: readonly SessionEvent[]) => {
    const at = events.findLastIndex((event) => event.type === type && which(event as Of<T>))
    const event = events[at]
    return event && events.toSpliced(at, 0, event)
  }
}

const ended =
  (...outcomes: DataOf<'turn/end'>['outcome'][]) =>
  (event: Of<'turn/end'>) =>
    outcomes.includes(event.data.outcome)
const isDone = (event: Of<'tool/result'>) => event.surface === 'append' && event.data.outcome.kind === 'done'
const isCut = (event: Of<'request/settled'>) => event.data.dropped.length > 0
const blank = [{ type: 'text', text: ' \n' }] as const

/** The appended results of the last message that has at least two, in swapped order. */
const swapped: Breach['breakIt'] = (events) => {
  const rows = events.flatMap((event, at) => (event.type === 'tool/result' && event.surface === 'append' ? [at] : []))
  const at = rows.findLastIndex(
    (row, index) => index > 0 && rows[index - 1] !== undefined && row - (rows[index - 1] ?? 0) < 5,
  )
  const [a, b] = [rows[at - 1], rows[at]]
  if (a === undefined || b === undefined) return undefined
  const [one, two] = [events[a], events[b]]
  return one && two && events.with(a, two).with(b, one)
}

/** A call that starts while another, exclusive one runs. */
const overlapping: Breach['breakIt'] = (events) => {
  const results = events.flatMap((event, at) =>
    event.type === 'tool/result' && event.surface === 'append' ? [at] : [],
  )
  const at = results.findLast((row) => events[row - 1]?.type === 'tool/call' && events[row + 1]?.type === 'tool/call')
  const [result, next] = at === undefined ? [] : [events[at], events[at + 1]]
  return at === undefined || !result || !next ? undefined : events.with(at, next).with(at + 1, result)
}

/** The dropped calls of a cut reply run after all, as the first in their message. */
const dropsRun: Breach['breakIt'] = (events) => {
  const at = events.findLastIndex((event) => event.type === 'request/settled' && isCut(event))
  const event = events[at]
  if (event?.type !== 'request/settled') return undefined
  const message = events.findIndex((later, index) => index > at && later.type === 'assistant/message')
  const old = events[message]
  if (old?.type !== 'assistant/message' || old.data.request !== event.data.id) return undefined
  return events.with(message, { ...old, data: { ...old.data, content: event.data.dropped } })
}

const breaches: readonly Breach[] = [
  { rule: 1, what: 'a result of a call that never began', breakIt: drop('tool/call') },
  { rule: 1, what: 'a call nobody asked for', breakIt: edit('tool/call', (data) => ({ ...data, call: 'nobody' })) },
  { rule: 1, what: 'a call that began twice', breakIt: twice('tool/call') },
  { rule: 2, what: 'a call without a result', breakIt: drop('tool/result', isDone) },
  { rule: 2, what: 'a call with two results', breakIt: twice('tool/result', isDone) },
  {
    rule: 2,
    what: 'a pruned result of another call',
    breakIt: edit(
      'tool/result',
      (data) => ({ ...data, call: 'other' }),
      (event) => event.surface !== 'append',
    ),
  },
  { rule: 3, what: 'results out of the model’s order', breakIt: swapped },
  { rule: 4, what: 'two calls at once that must run alone', breakIt: overlapping },
  { rule: 4, what: 'a call beside others that must run alone', breakIt: (events) => aloneBeside(events) },
  { rule: 6, what: 'a cut reply that still asks for calls', breakIt: dropsRun },
  {
    rule: 6,
    what: 'a cut reply the model was not told of',
    breakIt: drop('user/message', (event) => event.data.source.kind === 'context'),
  },
  {
    rule: 8,
    what: 'a reply with nothing in it',
    breakIt: (events) => {
      const end = events.findLastIndex((event) => event.type === 'turn/end' && event.data.outcome === 'completed')
      return end < 0 ? undefined : events.toSpliced(end - 2, 1)
    },
  },
  { rule: 10, what: 'a blank result', breakIt: edit('tool/result', (data) => ({ ...data, content: blank }), isDone) },
  {
    rule: 10,
    what: 'an empty message of the person',
    breakIt: edit('user/message', (data) => ({ ...data, content: [] })),
  },
  { rule: 10, what: 'an empty system text', breakIt: edit('system/message', (data) => ({ ...data, text: '' })) },
  {
    rule: 11,
    what: 'a call that began although it was denied',
    breakIt: edit(
      'approval/decided',
      (data) => ({ ...data, decision: 'denied' }),
      (event) => event.data.decision === 'allowed-once',
    ),
  },
  { rule: 11, what: 'a decision nobody asked for', breakIt: drop('approval/asked') },
  {
    rule: 12,
    what: 'a change of a version that was not seen',
    breakIt: edit('tool/result', (data) => ({ ...data, view: { path: '/w/a', before: 'unseen' } }), isDone),
  },
  { rule: 12, what: 'a change of what was seen only before a rewind', breakIt: (events) => seenBeforeRewind(events) },
  { rule: 13, what: 'a turn that does not end', breakIt: drop('turn/end', ended('completed')) },
  { rule: 13, what: 'a step that does not end', breakIt: drop('step/end') },
  { rule: 13, what: 'an approval that stays open', breakIt: drop('approval/decided') },
  { rule: 13, what: 'a retry that never comes', breakIt: drop('retry/started') },
  { rule: 13, what: 'a job that ends and never began', breakIt: drop('job/start') },
  { rule: 13, what: 'a child that settles twice', breakIt: twice('agent/settled') },
  { rule: 13, what: 'a command that a dead process left open', breakIt: (events) => leftOpen(events) },
  {
    rule: 14,
    what: 'a request without a settlement',
    breakIt: drop('request/settled', (event) => event.data.outcome === 'failed'),
  },
  { rule: 14, what: 'a request that was settled twice', breakIt: twice('request/settled') },
  {
    rule: 15,
    what: 'a turn that is completed although its last reply was cut',
    breakIt: edit('turn/end', (data) => ({ ...data, outcome: 'completed' }), ended('max-tokens')),
  },
  {
    rule: 15,
    what: 'a turn that is cut although its last reply was not',
    breakIt: edit('turn/end', (data) => ({ ...data, outcome: 'max-tokens' }), ended('completed')),
  },
]

/** The last command is not done, and another process goes on. */
function leftOpen(events: readonly SessionEvent[]): readonly SessionEvent[] | undefined {
  const at = events.findLastIndex(({ type }) => type === 'command/done')
  const event = events[at]
  const data = { epoch: 2, holder: 'h', rein: '0' }
  return event && events.with(at, { ...event, type: 'session/resume', data } as SessionEvent)
}

/** The second of two calls that stand together was not declared to. */
function aloneBeside(events: readonly SessionEvent[]): readonly SessionEvent[] | undefined {
  const at = events.findLastIndex(
    (event, index) => event.type === 'tool/call' && events[index - 1]?.type === 'tool/call',
  )
  const event = events[at]
  return event?.type === 'tool/call'
    ? events.with(at, { ...event, data: { ...event.data, parallel: false } })
    : undefined
}

/** The read that a change rests on is rewound right before it. */
function seenBeforeRewind(events: readonly SessionEvent[]): readonly SessionEvent[] | undefined {
  const changes = (event: SessionEvent) => event.type === 'tool/result' && event.data.view !== undefined
  const at = events.findLastIndex((event) => changes(event) && event.surface === 'append')
  const event = events[at]
  return (
    event &&
    events.toSpliced(at, 0, { ...place, seq: event.seq, type: 'session/rewound', data: { to: 2, by: 'person' } })
  )
}
const place = { time: 0, hash: '' }

for (const { rule, what, breakIt } of breaches) {
  test(`rule ${rule} names ${what}`, () => {
    let broken = 0
    fc.assert(
      fc.property(legal, ({ log }) => {
        const changed = breakIt(log.events)
        if (!changed) return
        broken++
        const found = check(changed)
        assert.ok(
          found.some((violation) => violation.rule === rule),
          JSON.stringify(found),
        )
      }),
      { numRuns: 6 },
    )
    assert.ok(broken > 0, 'no log had anything to break')
  })
}
