import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { tailEvents } from '../../src/tail.ts'
import { wholeLog } from '../kit/play.ts'
import { bytesOf } from '../kit/sinks.ts'

test('the end of a log gives the events whose lines are whole in it, wherever it was cut', async () => {
  await fc.assert(
    fc.asyncProperty(wholeLog, fc.nat(), async ({ log, sink }, at) => {
      await log.written()
      const bytes = bytesOf(sink.lines)
      const from = at % (bytes.length + 1)
      let begin = 0
      const whole = log.events.filter((_, index) => {
        const stands = begin >= from
        begin += Buffer.byteLength(sink.lines[index] ?? '') + 1
        return stands
      })
      assert.deepEqual(tailEvents(bytes.subarray(from)), whole)
    }),
    { numRuns: 60 },
  )
})

test('what is damaged, unknown or moved at the end of a log is left out, and the rest is given', async () => {
  const ways = fc.constantFrom('torn', 'nul', 'doubled', 'unknown', 'misshapen')
  await fc.assert(
    fc.asyncProperty(wholeLog, fc.nat(), ways, async ({ log, sink }, pick, how) => {
      await log.written()
      const index = pick % sink.lines.length
      const line = sink.lines[index] ?? ''
      const spoiled = {
        torn: [line.slice(0, -10)],
        nul: ['\0'.repeat(line.length)],
        doubled: [line, line],
        unknown: [line.replace(/"type":"/, '"type":"future-')],
        misshapen: [line.replace(/"data":\{.*\}/s, '"data":{}')],
      }[how]
      const lines = sink.lines.toSpliced(index, 1, ...spoiled)
      const expected = how === 'doubled' ? log.events : log.events.toSpliced(index, 1)
      assert.deepEqual(tailEvents(bytesOf(lines)), expected)
    }),
    { numRuns: 60 },
  )
})
