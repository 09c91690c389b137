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
    unseen: { paths: [], more: 0 },
  } as const
  assert.deepEqual(filesText(plan, { colors: paint(false), overwrite: false }), [
    '1 file would go back:',
    '  - a\\n  - /etc/passwd',
    'Changed by somebody else since, and kept without --overwrite:',
    '  + b\\tc',
    'Cannot go back:',
    '  d\\ne: it is too large',
    '+ comes back, - is deleted',
  ])
})

test('files are counted as files and folders as folders, those that cannot go say so, and what was not looked at is named', () => {
  const plan = {
    files: [
      { path: 'd/', action: 'delete', by: 'session' },
      { path: 'd/a', action: 'delete', by: 'session' },
      { path: 'd/mine', action: 'delete', by: 'person' },
      { path: 'e/', action: 'create', by: 'session' },
      { path: 'e/a', action: 'create', by: 'session' },
    ],
    left: [],
    exact: true,
    uncovered: [],
    unseen: { paths: ['node_modules', '.git'], more: 3 },
  } as const
  assert.deepEqual(filesText(plan, { colors: paint(false), overwrite: false }), [
    '2 files and 1 folder would go back:',
    '  - d/a',
    '  + e/',
    '  + e/a',
    'Changed by somebody else since, and kept without --overwrite:',
    '  - d/mine',
    'Cannot go back:',
    '  d: what is in it stays',
    '+ comes back, - is deleted',
    'Not looked at, so what changed there stays: node_modules, .git and 3 more',
  ])
  assert.equal(filesText(plan, { colors: paint(false), overwrite: true })[0], '3 files and 2 folders would go back:')
})
