import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { describe, test } from 'node:test'
import { entries } from '../scripts/exports.ts'
import { inRoot } from '../scripts/root.ts'
import { paths, read } from './tree.ts'

const ADVICE = 'when this is meant, run: npm run exports'

describe('public exports', () => {
  for (const { list, names } of entries()) {
    test(`the names in ${list} are what the package exports`, () => {
      const pinned = existsSync(inRoot(list)) ? read(list) : ''
      assert.equal(difference(pinned, names), '', ADVICE)
    })
  }

  test('every list belongs to a package', () => {
    assert.deepEqual(
      paths('test/exports/*.txt'),
      entries()
        .map(({ list }) => list)
        .toSorted(),
    )
  })
})

/** `- gone` and `+ new`, one name a line; empty when both are the same. */
function difference(pinned: string, actual: string): string {
  const [before, after] = [new Set(pinned.split('\n')), new Set(actual.split('\n'))]
  const gone = [...before.difference(after)].map((name) => `- ${name}`)
  const added = [...after.difference(before)].map((name) => `+ ${name}`)
  return [...gone, ...added].join('\n')
}
