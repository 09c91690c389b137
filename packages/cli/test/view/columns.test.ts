import assert from 'node:assert/strict'
import { test } from 'node:test'
import { columnsOf, cutTo, endOf, padTo } from '../../src/view/columns.ts'
import { oneLine } from '../../src/view/safe-text.ts'

test('a line is as wide as a terminal makes it: two columns for Chinese and emoji, none for what stands on a letter', () => {
  assert.deepEqual(['abc', '重试策略', 'a重b', 'e\u0301', '👍', ''].map(columnsOf), [3, 8, 4, 1, 2, 0])
})

test('what is cut fits into its columns and says that something is missing', () => {
  assert.equal(cutTo('重试策略', 8), '重试策略')
  assert.equal(cutTo('重试策略', 7), '重试策…')
  assert.equal(cutTo('重试策略', 6), '重试…')
  assert.equal(endOf('/家/项目', 6), '…/项目')
  assert.equal(endOf('/home/me', 5), '…e/me')
  assert.equal(padTo('项目', 6), '项目  ')
  for (const most of [1, 2, 5, 9]) assert.ok(columnsOf(oneLine('修复失败的\n测试 test', most)) <= most)
})
