import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filesText } from '../../src/view/files-text.ts'
import { paint } from '../../src/view/paint.ts'

test('a name that holds a line end stands in one line, so that no file lists another', () => {
  const path = 'a\n  - /etc/passwd'
  const plan = {
    files: [
      { path, action: 'delete', by: 'session' },
      { path: 'b\tc', action: 'create', by: 'person' },
    ],
    left: [{ path: 'd\ne', why: 'it is too large' }],
    exact: true,
    uncovered: [],
  } as const
  assert.deepEqual(filesText(plan, { colors: paint(false), overwrite: false }), [
    '1 file would go back:',
    '  - a\\n  - /etc/passwd',
    'Changed by somebody else since, and kept without --overwrite:',
    '  + b\\tc',
    'Cannot go back:',
    '  d\\ne: it is too large',
  ])
})
