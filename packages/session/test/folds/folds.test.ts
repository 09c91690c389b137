import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  advance,
  type Fold,
  fold,
  header,
  inbox,
  noteFold,
  owed,
  permission,
  type SessionEvent,
  type Surface,
  seen,
  surface,
  transcript,
  turns,
  usage,
} from '../../src/index.ts'
import { wholeLog } from '../kit/play.ts'

const notes = noteFold<number>({ plugin: 'todo', initial: 0, rewinds: true, step: (count) => count + 1 })

const folds: Readonly<Record<string, Fold<unknown>>> = {
  header,
  inbox,
  owed,
  permission,
  seen,
  surface,
  transcript,
  turns,
  usage,
  notes,
} as Record<string, Fold<unknown>>

/** A state as plain values, whatever lists and maps it is made of. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Symbol.iterator in value) return [...(value as Iterable<unknown>)].map(plain)
  if ('entries' in value && typeof value.entries === 'function') return [...value.entries()].map(plain)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]))
}

for (const [name, of] of Object.entries(folds)) {
  test(`${name}, kept up event by event, is what folding from the start gives`, () => {
    fc.assert(
      fc.property(wholeLog, ({ log }) => {
        let state = of.initial
        for (const [at, event] of log.events.entries()) {
          state = advance(of, state, { event, events: log.events })
          if (at % 7 === 0 || event.type === 'session/rewound')
            assert.deepEqual(plain(state), plain(fold(of, log.events, at + 1)))
        }
        assert.deepEqual(plain(state), plain(log.state(of)))
      }),
      { numRuns: 15 },
    )
  })

  test(`${name} is the same object where an event does not concern it, or comes again without effect`, () => {
    fc.assert(
      fc.property(wholeLog, ({ log }) => {
        let state = of.initial
        for (const event of log.events) {
          state = of.step(state, event)
          for (const idle of withoutEffect)
            if (name !== 'transcript') assert.equal(of.step(state, idle), state, idle.type)
          if (closes.has(event.type) && name !== 'usage' && name !== 'turns' && name !== 'transcript')
            assert.equal(of.step(state, event), state, event.type)
        }
      }),
      { numRuns: 10 },
    )
  })
}

const place = { seq: 0, time: 0, hash: '' }
const withoutEffect: readonly SessionEvent[] = [
  { ...place, type: 'files/restored', data: { snapshot: 's', paths: [] } },
  { ...place, type: 'session/resume', data: { epoch: 9, holder: 'h', rein: '0' } },
  {
    ...place,
    type: 'tool/call',
    data: { turn: 1, step: 1, call: 'nobody', name: 'x', arguments: '', parallel: false, effects: 'none' },
  },
  {
    ...place,
    type: 'inbox/spliced',
    data: { lane: 'next-turn', start: 0, remove: ['nobody'], insert: [], reason: 'dropped' },
  },
  {
    ...place,
    type: 'permission/grant',
    data: { id: 'nobody', rule: 'x', scope: 'session', by: 'person', revoked: true },
  },
]

/** Told twice, these change nothing the second time. */
const closes: ReadonlySet<string> = new Set([
  'job/end',
  'agent/settled',
  'command/done',
  'compaction/end',
  'approval/decided',
  'question/answered',
  'request/settled',
  'retry/started',
  'permission/mode',
  'plan/mode',
  'inbox/parked',
])

test('of all that is folded, a rewind takes back the surface, what was seen, and notes that ask for it', () => {
  const back = Object.entries(folds).flatMap(([name, { rewinds }]) => (rewinds ? [name] : []))
  assert.deepEqual(back.sort(), ['notes', 'seen', 'surface'])
})

test('a rewind takes back what was seen and said, and never money, permission, grants or jobs', () => {
  fc.assert(
    fc.property(wholeLog, fc.nat(), (world, where) => {
      const to = where % world.log.events.length
      const kept = Object.entries(folds).map(([name, of]) => [name, of, plain(world.log.state(of))] as const)
      world.append('session/rewound', { to, by: 'person' })
      for (const [name, of, before] of kept) {
        if (of.rewinds) assert.deepEqual(plain(world.log.state(of)), plain(fold(of, world.log.events, to + 1)), name)
        else if (name !== 'transcript') assert.deepEqual(plain(world.log.state(of)), before, name)
      }
    }),
    { numRuns: 20 },
  )
})

test('rewinds into rewinds cost no more than their events', () => {
  const events: SessionEvent[] = []
  const add = (event: object) => events.push({ ...place, ...event, seq: events.length } as SessionEvent)
  const text = [{ type: 'text', text: 'x' }]
  let steps = 0
  const counting: Fold<number> = { rewinds: true, initial: 0, step: (state) => state + 1 + 0 * ++steps }
  for (let index = 0; index < 2000; index++) {
    add({ type: 'user/message', data: { content: text, source: { kind: 'person' } }, surface: 'append' })
    add({ type: 'session/rewound', data: { to: events.length - 1, by: 'person' } })
  }
  assert.equal(fold(counting, events), 2000)
  assert.equal(steps, 2000)
})

/** Seqs that were on the surface once and are not any more, told from the whole log. */
function shadowed(events: readonly SessionEvent[], now: Surface): ReadonlySet<number> {
  const visible = new Set([...now.messages].map(({ seq }) => seq))
  return new Set(events.filter(({ seq, surface: op }) => op !== undefined && !visible.has(seq)).map(({ seq }) => seq))
}

test('the transcript shows everything in order and marks exactly what the model no longer sees', () => {
  fc.assert(
    fc.property(wholeLog, fc.array(fc.nat(), { maxLength: 3 }), ({ log }, rewinds) => {
      for (const where of rewinds) {
        log.state(transcript)
        log.append('session/rewound', { to: where % log.events.length, by: 'person' })
      }
      const { entries, shadowed: marked } = log.state(transcript)
      const gone = shadowed(log.events, log.state(surface))
      const seqs = [...entries].map(({ seq }) => seq)
      assert.deepEqual(
        seqs,
        seqs.toSorted((a, b) => a - b),
      )
      for (const { seq, surface: op } of log.events)
        if (op !== undefined) {
          assert.ok(seqs.includes(seq))
          assert.equal(marked.has(seq), gone.has(seq), `event ${seq}`)
        }
    }),
    { numRuns: 30 },
  )
})

test('the cost is unknown as soon as a call that may have cost something does not say what it used', () => {
  const settled = { id: 'r', finish: null, usage: null, dropped: [], error: null, timing: null } as const
  const costAfter = (outcome: 'completed' | 'failed' | 'cancelled' | 'interrupted') => {
    const event = { seq: 1, time: 0, type: 'request/settled', data: { ...settled, outcome }, hash: '' } as const
    return usage.step(usage.initial, event).cost
  }
  assert.deepEqual([costAfter('completed'), costAfter('cancelled'), costAfter('interrupted')], Array(3).fill(undefined))
  assert.equal(costAfter('failed'), 0)
})

test('what was used is the sum over every settlement, retries and side requests included', () => {
  fc.assert(
    fc.property(wholeLog, ({ log }) => {
      const settled = log.events.flatMap((event) => (event.type === 'request/settled' ? [event.data] : []))
      const { total, requests, cost } = log.state(usage)
      assert.equal(requests, settled.length)
      assert.equal(
        total.input,
        settled.reduce((sum, data) => sum + (data.usage?.input ?? 0), 0),
      )
      const unknown = settled.some((data) => data.usage === null && data.outcome !== 'failed')
      const sum = settled.reduce((all, data) => all + (data.usage ? (data.cost ?? 0) : 0), 0)
      assert.equal(cost, unknown ? undefined : sum)
    }),
    { numRuns: 20 },
  )
})
