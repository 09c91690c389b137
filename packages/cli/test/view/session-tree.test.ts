import assert from 'node:assert/strict'
import { test } from 'node:test'
import { columnsOf } from '../../src/view/columns.ts'
import { type Lineage, sessionTree } from '../../src/view/session-tree.ts'

const cli = { color: false }

const row = (id: string, parent: string | null = null, at: number | null = null) => {
  const lineage: Lineage = { id, parent, at }
  const entry = { id, bytes: 1, changed: 0, cwd: '/w', state: 'free' } as const
  return { ...lineage, entry, title: `about ${id}`, outcome: 'completed' } as const
}

const heads = (text: string): readonly string[] => text.split('\n').map((line) => line.split('  ')[0] ?? '')

test('forks stand under the session they come from, in the order of their places, roots in the order given', () => {
  const rows = [row('late'), row('c', 'a', 40), row('a'), row('b', 'a', 7), row('d', 'c', 50)]
  const lines = sessionTree(rows, cli).split('\n')
  assert.deepEqual(
    lines.map((line) => line.replace(/ {2}\d{4}.*/, '')),
    ['late', 'a', '├─ b @7', '└─ c @40', '   └─ d @50'],
  )
  assert.match(lines[0] ?? '', /completed {2}about late$/)
})

test('on a terminal a title is cut where the line ends, forks and wide characters included', () => {
  const title = '修复失败的测试并且证明它通过了'.repeat(9)
  const rows = [row('a'), row('b', 'a', 7), row('c', 'b', 9)].map((one) => ({ ...one, title }))
  for (const line of sessionTree(rows, { ...cli, width: 80 }).split('\n')) {
    assert.ok(columnsOf(line) <= 80 && columnsOf(line) >= 78, line)
  }
})

test('a fork whose parent is not in the list stands alone and names it', () => {
  assert.match(sessionTree([row('b', 'gone', 7)], cli), /^b @7 of gone, which is not in this list/)
})

test('sessions that name each other as parents are all told, once each', () => {
  assert.equal(heads(sessionTree([row('a', 'b', 1), row('b', 'a', 1), row('c', 'c', 0)], cli)).length, 3)
})

test('names and titles of anybody cannot move the cursor', () => {
  const bad = { ...row('a', '\u001b[2Jx', 1), title: '\u001b[31mred\nnext' }
  const text = sessionTree([bad], cli)
  assert.ok(!text.includes('\u001b') && !text.includes('\n'))
})
