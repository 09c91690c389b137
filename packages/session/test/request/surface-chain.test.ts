import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fold, type SessionEvent, type SurfaceOp, surface } from '../../src/index.ts'
import { SurfaceChain } from '../../src/surface-chain.ts'

/** Messages, ranges that are there or not, and rewinds to anywhere, also to what was taken back. */
const moves = fc.array(
  fc.record({
    kind: fc.constantFrom('append', 'append', 'replace', 'any range', 'rewind'),
    from: fc.nat(),
    to: fc.nat(),
    ask: fc.nat(),
  }),
  { maxLength: 40, size: 'max' },
)

const messagesAfter = (events: readonly SessionEvent[], seq: number): readonly number[] =>
  [...fold(surface, events, seq + 1).messages].map((message) => message.seq)

test('the surface after any event is the one the fold gives, whatever was replaced and rewound', () => {
  fc.assert(
    fc.property(moves, (all) => {
      const chain = new SurfaceChain()
      const events: SessionEvent[] = []
      for (const [seq, { kind, from, to, ask }] of all.entries()) {
        const now = messagesAfter(events, seq)
        const of = (list: readonly number[], nth: number): number => list[nth % list.length] ?? 0
        const span: [number, number] = [of(now, from), of(now.slice(from % (now.length || 1)), to)]
        const replace: SurfaceOp = { replace: kind === 'replace' ? span : [from % (seq + 1), to % (seq + 1)] }
        const event = { seq, time: 0, hash: '' }
        const said = { content: [], source: { kind: 'person' } } as const
        if (kind === 'rewind' && seq > 0)
          events.push({ ...event, type: 'session/rewound', data: { to: to % seq, by: 'person' } })
        else events.push({ ...event, type: 'user/message', data: said, surface: kind === 'append' ? kind : replace })
        for (const next of events.slice(seq)) chain.feed(next)
        // Asked for any surface on the way, it goes there and back again.
        const asked = ask % (seq + 1)
        const expected = messagesAfter(events, asked)
        assert.deepEqual(
          chain.messagesAt(asked).map((message) => message.seq),
          expected,
        )
        for (let other = 0; other <= seq; other++) assert.equal(chain.holdsAt(asked, [other]), expected.includes(other))
      }
    }),
    { numRuns: 150 },
  )
})
