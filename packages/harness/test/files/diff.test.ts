import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyPatch } from 'diff'
import fc from 'fast-check'
import { shortDiff, textDiff } from '../../src/files/diff.ts'

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', 'd e'), { maxLength: 30 })
  .map((lines) => lines.map((l) => `${l}\n`).join(''))

test('a diff applied to the old text gives the new one, and its counts are its lines', async () => {
  await fc.assert(
    fc.asyncProperty(text, text, async (before, after) => {
      const { diff, added, removed } = await textDiff(before, after)
      if (before === after) return assert.equal(diff, '')
      assert.equal(applyPatch(before, `--- a\n+++ b\n${diff}\n`), after)
      assert.equal(diff.split('\n').filter((line) => line.startsWith('+')).length, added)
      assert.equal(diff.split('\n').filter((line) => line.startsWith('-')).length, removed)
    }),
    { numRuns: 150 },
  )
})

test('a small change deep in a large file names its lines', async () => {
  const lines = Array.from({ length: 50_000 }, (_, at) => `line ${at + 1}\n`)
  const after = lines.with(39_999, 'changed\n').join('')
  const { diff, added, removed } = await textDiff(lines.join(''), after)
  assert.match(diff, /^@@ -39997,7 \+39997,7 @@\n/)
  assert.deepEqual([added, removed], [1, 1])
})

test('two unlike texts are shown as replaced, and a long diff says how much is left out', async () => {
  const many = (word: string) => Array.from({ length: 3000 }, (_, at) => `${word} ${at}\n`).join('')
  const { diff, added, removed } = await textDiff(many('old'), many('new'))
  assert.deepEqual([added, removed], [3000, 3000])
  assert.match(shortDiff(diff, 10), /\[5991 more lines of the diff left out\]$/)
})
