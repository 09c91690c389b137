import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { check, type SessionEvent } from '../../src/index.ts'
import type { TurnPlan } from '../kit/plan.ts'
import { play } from '../kit/play.ts'

const call = { name: 'bash', args: '{}', parallel: false, outcome: 'done', ask: 'allowed', text: 'ok' } as const
const step: TurnPlan['steps'][number] = {
  kind: 'calls',
  retries: 0,
  calls: [call, { ...call, ask: 'question' }],
  text: 'on it',
  reasoning: null,
  chunks: false,
  inject: null,
}
const turn: TurnPlan = { posts: [], picture: false, steps: [step], end: 'answer', text: 'go', sides: ['compact'] }
const { events } = play([turn, { ...turn, sides: ['prune', 'compact'] }]).log

type Change = (event: SessionEvent) => object | undefined
const named =
  (type: SessionEvent['type'], data: object): Change =>
  (event) =>
    event.type === type ? { data: { ...event.data, ...data } } : undefined

/** What an event names is something that is not there. */
const phantoms: Readonly<Record<string, Change>> = {
  'a reply to a request nobody sent': named('assistant/message', { request: 'nobody' }),
  'an approval of a call nobody asked for': named('approval/asked', { call: 'nobody' }),
  'a question about a call nobody asked for': named('question/asked', { call: 'nobody' }),
  'a summary of a request nobody sent': named('compaction/summary', { request: 'nobody' }),
  'a request made of what comes after it': named('request/sent', { at: 1_000_000 }),
  'a replace of what is not on the surface': (event) =>
    typeof event.surface === 'object' ? { surface: { replace: [0, 1] } } : undefined,
  'a replace that does not name what it shadows': (event) =>
    typeof event.surface === 'object' ? { sources: [0] } : undefined,
}

for (const [what, change] of Object.entries(phantoms)) {
  test(`rule 9 names ${what}`, () => {
    const places = events.flatMap((event) => (change(event) ? [event.seq] : []))
    assert.ok(places.length > 0, 'there is nothing to break')
    fc.assert(
      fc.property(fc.constantFrom(...places), (at) => {
        const broken = events.map((event): SessionEvent => {
          return event.seq === at ? ({ ...event, ...change(event) } as SessionEvent) : event
        })
        assert.ok(check(broken).some(({ rule, seq }) => rule === 9 && seq === at))
      }),
      { numRuns: 10 },
    )
  })
}

test('a log that keeps the rules names nothing that is not there', () => {
  assert.deepEqual(check(events), [])
})
