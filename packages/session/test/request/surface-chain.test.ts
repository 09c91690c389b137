import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fold, surface } from '../../src/index.ts'
import { messagesOf, SurfaceChain } from '../../src/surface-chain.ts'
import { wholeLog } from '../kit/play.ts'

test('the surface after any event is the one the fold gives, whatever was replaced and rewound', () => {
  fc.assert(
    fc.property(wholeLog, ({ log }) => {
      const chain = new SurfaceChain()
      for (const event of log.events) chain.feed(event)
      for (let seq = 0; seq < log.events.length; seq++) {
        const expected = [...fold(surface, log.events, seq + 1).messages]
        assert.deepEqual(
          messagesOf(chain.at(seq)).map((message) => message.seq),
          expected.map((message) => message.seq),
        )
      }
    }),
    { numRuns: 30 },
  )
})
