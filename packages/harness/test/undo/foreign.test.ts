import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Objects } from '../../src/undo/objects.ts'
import { backTo, Desk } from './kit.ts'

test('a log that names a path as a snapshot reads and removes nothing', () => {
  using desk = new Desk()
  desk.write('a')
  desk.take()
  mkdirSync(join(desk.folder, 'objects', 'aa'), { recursive: true })
  for (const name of ['aa/../../../../outside/precious', '../../../outside/precious', '', '.', 'A'.repeat(64)]) {
    assert.equal(new Objects(join(desk.folder, 'objects')).get(name), undefined)
    const result = desk.workspaces.run({ kind: 'plan', place: desk.place, history: backTo(name) })
    assert.ok(result.kind === 'failed' && result.failure.code === 'NOT_FOUND', name)
  }
  assert.ok(existsSync(join(desk.outside, 'precious')))
})

test('only snapshots of the same session and its parents, made of the same folder, are gone back to', () => {
  using desk = new Desk()
  const other = join(desk.base, 'other')
  mkdirSync(other)
  writeFileSync(join(other, 'evil'), 'what a sender wishes')
  const taken = desk.workspaces.run({ kind: 'take', place: { session: 's-2', root: other } })
  assert.ok(taken.kind === 'taken')
  desk.write('a', 'one')
  const mine = desk.take('s-3').id
  desk.write('a', 'two')
  const back = (first: string, parents: readonly string[]) =>
    desk.workspaces.run({ kind: 'plan', place: { ...desk.place, parents }, history: backTo(first) }).kind
  assert.equal(back(taken.taken.id, []), 'failed')
  assert.equal(back(taken.taken.id, ['s-2']), 'failed', 'another folder')
  assert.equal(back(mine, ['../refs/s-3']), 'failed')
  assert.equal(back(mine, []), 'failed')
  assert.equal(back(mine, ['s-3']), 'planned')
  const later = { first: mine, later: [{ tree: taken.taken.id, by: 'session' }], since: 'session' } as const
  const place = { ...desk.place, parents: ['s-3'] }
  assert.equal(desk.workspaces.run({ kind: 'plan', place, history: later }).kind, 'failed')
})
