import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import fc from 'fast-check'
import { nodeHasher } from '../../src/store/hasher.ts'

test('text and bytes in any pieces give the digest of the whole, and a copy leaves the first usable', () => {
  const piece = fc.oneof(fc.string({ unit: 'grapheme' }), fc.uint8Array({ maxLength: 50 }))
  fc.assert(
    fc.property(fc.array(piece), fc.array(piece), (before, after) => {
      const whole = (pieces: readonly (string | Uint8Array)[]): string => {
        const hash = createHash('sha256')
        for (const each of pieces) hash.update(each)
        return hash.digest('hex')
      }
      const hasher = nodeHasher()
      for (const each of before) assert.equal(hasher.update(each), hasher)
      const copy = hasher.copy()
      for (const each of after) copy.update(each)
      assert.equal(copy.digest(), whole([...before, ...after]))
      assert.equal(hasher.digest(), whole(before))
    }),
    { numRuns: 100 },
  )
})
