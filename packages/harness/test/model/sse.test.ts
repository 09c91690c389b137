import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sseReader } from '../../src/model/sse.ts'

const read = (pieces: readonly Uint8Array[]) => {
  const reader = sseReader()
  const events = pieces.flatMap((piece) => reader.push(piece))
  return [...events, ...reader.end()].map((event) => [event.event, event.data])
}

const ends = fc.constantFrom('\n', '\r', '\r\n')
const value = fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => `x${text.replaceAll(/[\r\n]/g, '')}`)
const lines = fc.array(fc.tuple(value, ends, fc.constantFrom('', ' ')), { minLength: 1, maxLength: 5 })

test('events survive any line end, any cut and any character', () => {
  fc.assert(
    fc.property(lines, fc.array(fc.nat(200), { maxLength: 6 }), (written, cuts) => {
      const text = written.map(([data, end, space]) => `data:${space}${data}${end}: ping${end}${end}`).join('')
      const bytes = Buffer.from(text)
      const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
      const pieces = at.slice(1).map((end, index) => bytes.subarray(at[index], end))
      assert.deepEqual(
        read(pieces),
        written.map(([data]) => [undefined, data]),
      )
    }),
  )
})

test('several data lines are one event, and its name is kept', () => {
  assert.deepEqual(read([Buffer.from('event: error\ndata: a\ndata: b\n\n')]), [['error', 'a\nb']])
})

test('an event without its blank line is given at the end and marked', () => {
  const reader = sseReader()
  assert.deepEqual(reader.push(Buffer.from('data: x')), [])
  assert.deepEqual(reader.end(), [{ event: undefined, data: 'x', tail: true }])
})

test('a line without an end stops at the limit', () => {
  const reader = sseReader(100)
  for (let at = 0; at < 50; at++) reader.push(Buffer.from('data: aaaa'))
  assert.equal(reader.overflown, true)
  assert.deepEqual(reader.end(), [])
})
