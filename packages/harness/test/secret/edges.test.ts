import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formats } from '../../src/secret/formats.ts'

const keys = [
  `sk-${'FAKE'.repeat(6)}`,
  `ghp_${'FAKE'.repeat(9)}`,
  `glpat-${'FAKE'.repeat(6)}`,
  `AKIA${'FAKE'.repeat(4)}`,
]

test('a key is found behind a colour and behind a line end or tab as JSON writes it, and not inside a word', () => {
  for (const key of keys) {
    const isFound = (before: string) => formats.some(({ pattern }) => (before + key).match(pattern)?.includes(key))
    for (const before of ['', ' ', '\u001b[31m', '\u001b[01;31m\u001b[K', '\\n', '\\r\\n', 'a\\t'])
      assert.ok(isFound(before), before + key)
    for (const before of ['m', 'n', 'disk', '[31m']) assert.ok(!isFound(before), before + key)
  }
})
