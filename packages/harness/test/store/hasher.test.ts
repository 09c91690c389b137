import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import fc from 'fast-check'
import { nodeHasher } from '../../src/store/hasher.ts'

type Piece = string | Uint8Array

const piece: fc.Arbitrary<Piece> = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) }),
  fc.uint8Array({ maxLength: 50 }),
  // Around the size up to which inputs are gathered.
  fc.integer({ min: 5_000, max: 17_000 }).map((length) => 'ä'.repeat(length)),
)

function whole(pieces: readonly Piece[]): string {
  const hash = createHash('sha256')
  for (const each of pieces) hash.update(each)
  return hash.digest('hex')
}

test('text and bytes in any pieces give the digest of the whole, and a copy leaves the first usable', () => {
  fc.assert(
    fc.property(fc.array(piece), fc.array(piece), (before, after) => {
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

test('hashers that are fed in turn do not mix, and keep what they were given when it changes afterwards', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(2), piece), { maxLength: 20 }), (turns) => {
      const hashers = [nodeHasher(), nodeHasher(), nodeHasher()]
      const expected = turns.map(([at, given]) => ({ at, given: typeof given === 'string' ? given : given.slice() }))
      for (const [at, given] of turns) {
        hashers[at]?.update(given)
        if (typeof given !== 'string') given.fill(0)
      }
      for (const [at, hasher] of hashers.entries())
        assert.equal(hasher.digest(), whole(expected.filter((turn) => turn.at === at).map(({ given }) => given)))
    }),
    { numRuns: 100 },
  )
})

test('a hasher that gave its digest gives nothing more', () => {
  const hasher = nodeHasher().update('a')
  hasher.digest()
  assert.throws(() => hasher.digest())
  assert.throws(() => hasher.update('b'))
  assert.throws(() => hasher.copy())
})
