import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folded, foldedWithPlaces } from '../../../src/store/index/folded.ts'

// Sorting them all takes minutes.
test('any number of marks on one letter folds to the letter', () => {
  const text = `a${'\u0315\u0300'.repeat(131_072)}b`
  assert.equal(folded(text), 'ab')
  assert.deepEqual(foldedWithPlaces(text), { text: 'ab', from: [0, text.length - 1, text.length] })
})
