import assert from 'node:assert/strict'
import { test } from 'node:test'
import { restoreChoice } from '../../src/undo/choice.ts'
import { backTo, Desk } from './kit.ts'

test('a plan names what was not looked at, bounded, and a repository keeps the folder it was made in', () => {
  using desk = new Desk()
  for (let count = 0; count < 25; count++) desk.write(`p/${count}/node_modules/x`)
  const first = desk.take()
  desk.write('p/0/node_modules/x', 'other')
  desk.write('new/.git/HEAD')
  desk.write('new/a')
  const plan = desk.plan(backTo(first.id))
  assert.deepEqual(plan.left, [{ path: 'new/.git', why: 'it is what git keeps for itself' }])
  assert.deepEqual([plan.unseen.paths[0], plan.unseen.paths.length, plan.unseen.more], ['p/0/node_modules', 20, 5])
  assert.deepEqual(
    restoreChoice(plan, true).going.map(({ path }) => path),
    desk.restore(backTo(first.id)).paths,
  )
  assert.equal(desk.read('new/.git/HEAD'), 'new/.git/HEAD')
})
