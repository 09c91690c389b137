import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joined } from '../../src/view/joined.ts'

test('parts stand in as few lines as there are columns for, and none is broken', () => {
  const parts = ['rein 1 model', 'mode', '/a/long/folder', '/help']
  assert.deepEqual(joined(parts, 100), ['rein 1 model · mode · /a/long/folder · /help'])
  assert.deepEqual(joined(parts, 24), ['rein 1 model · mode', '/a/long/folder · /help'])
  assert.deepEqual(joined(parts, 5), parts)
  assert.deepEqual(joined([], 5), [])
})
