import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hashRoom } from '../../src/line.ts'
import { Lines } from '../../src/lines.ts'

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** The lines of these blocks, as text and as what their bytes say. */
function cut(blocks: readonly Uint8Array[]): { texts: string[]; decoded: string[]; unended: boolean } {
  const texts: string[] = []
  const decoded: string[] = []
  const lines = new Lines((bytes, text) => {
    texts.push(text)
    decoded.push(decoder.decode(bytes.subarray(hashRoom)))
  })
  for (const block of blocks) lines.add(block)
  return { unended: lines.end(), texts, decoded }
}

function inPieces(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = []
  let at = 0
  for (const size of sizes) {
    pieces.push(bytes.subarray(at, at + size))
    at += size
  }
  return [...pieces, bytes.subarray(at)]
}

test('a line is the same as text and as bytes, whatever is in it and however the blocks fall', () => {
  const ascii = fc.constantFrom('{"seq":1}', '', '\r', 'a'.repeat(70_000))
  const wide = fc.constantFrom('✓', 'é', '𝒳', '\uFEFF', '\u2028').map((text) => `${text} in a line ${text}`)
  const line = fc.oneof({ weight: 3, arbitrary: ascii }, wide)
  const sizes = fc.array(fc.constantFrom(1, 2, 3, 40, 65_535, 65_536, 200_000), { maxLength: 6 })
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), sizes, fc.boolean(), (lines, at, ended) => {
      const text = lines.join('\n') + (ended ? '\n' : '')
      const expected = text.split('\n')
      const unended = expected.at(-1) !== ''
      if (!unended) expected.pop()
      const found = cut(inPieces(new TextEncoder().encode(text), at))
      assert.deepEqual(found, { texts: expected, decoded: expected, unended })
    }),
    { numRuns: 60 },
  )
})

test('bytes that are no UTF-8 spoil their own line and no other', () => {
  const byte = fc.oneof(fc.constantFrom(10, 0x80, 0xc3, 0xe2, 0xf0, 0xff, 0x41), fc.nat(255))
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.array(byte, { maxLength: 60 }), (some, more) => {
      const { texts, decoded } = cut([some, Uint8Array.from(more)])
      assert.deepEqual(texts, decoded)
    }),
    { numRuns: 300 },
  )
})
