import assert from 'node:assert/strict'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isDue } from '../../src/undo/collect.ts'
import { Holds } from '../../src/undo/hold.ts'
import { scan } from '../../src/undo/scan.ts'
import { backTo, Desk, listing, takenOf } from './kit.ts'

const tag = 'Signature: 8a477f597d28d172789f06886806bc55\n'
const isRoot = process.getuid?.() === 0

test('what lay in a folder that was not looked into is not deleted when it is looked into later', () => {
  using desk = new Desk({ files: 3 })
  desk.write('cache/CACHEDIR.TAG', tag)
  desk.write('cache/precious')
  for (const path of ['few/a', 'few/b', 'few/c', 'too-many/precious']) desk.write(path)
  const first = desk.take()
  rmSync(join(desk.root, 'cache', 'CACHEDIR.TAG'))
  rmSync(join(desk.root, 'few', 'a'))
  rmSync(join(desk.root, 'few', 'b'))
  const { left } = desk.restore(backTo(first.id), true)
  assert.deepEqual(
    left.map(({ path }) => path),
    ['cache', 'too-many'],
  )
  const now = listing(desk.root)
  assert.ok(now['cache/precious'] && now['too-many/precious'] && now['few/a'])
})

test('a name that is listed and cannot be looked at is not known, not absent', { skip: isRoot }, () => {
  using desk = new Desk()
  desk.write('d/precious')
  chmodSync(join(desk.root, 'd'), 0o444)
  const first = desk.take()
  chmodSync(join(desk.root, 'd'), 0o755)
  desk.restore(backTo(first.id), true)
  chmodSync(join(desk.root, 'd'), 0o755)
  assert.equal(desk.read('d/precious'), 'd/precious')
})

test('a file or folder that goes or is replaced while it is looked at is not known, not absent', () => {
  using desk = new Desk()
  for (const path of ['a', 'b', 'd/e']) desk.write(path)
  let asked = 0
  const { skipped } = scan({
    root: desk.root,
    limits: { fileBytes: 10, totalBytes: 100, files: 10, keepBytes: 0, waitMs: 0, ignore: [] },
    hidden: new Set(),
    cache: new Map(),
    objects: desk.objects,
    stopped: () => {
      asked++
      if (asked === 2) rmSync(join(desk.root, 'b'))
      if (asked === 4) {
        rmSync(join(desk.root, 'd'), { recursive: true })
        writeFileSync(join(desk.root, 'd'), '')
      }
      return false
    },
    now: Date.now,
  })
  const names = skipped.map(({ path, why }) => `${path} ${why}`)
  assert.deepEqual(names, ['b unsteady', 'd/e unreadable', 'd unsteady'])
})

test('what a person changes between the snapshot of a restore and its plan stays, whatever is known by then', () => {
  using desk = new Desk()
  for (const path of ['a', 'gone', 'closed']) desk.write(path, 'one')
  const first = desk.take()
  for (const path of ['a', 'new', 'closed']) desk.write(path, 'two')
  rmSync(join(desk.root, 'gone'))
  const now = desk.take().id
  for (const path of ['a', 'gone', 'new']) desk.write(path, 'own')
  chmodSync(join(desk.root, 'closed'), 0o600)
  const changed = listing(desk.root)
  desk.plan(backTo(first.id))
  const job = { kind: 'restore', place: desk.place, history: backTo(first.id), now, overwrite: true } as const
  const result = desk.workspaces.run(job)
  assert.deepEqual(result.kind === 'restored' && result.restored.paths, [])
  assert.deepEqual(listing(desk.root), changed)
})

test('no file goes whose content is not kept: where it was lost it is kept anew first', () => {
  using desk = new Desk()
  desk.write('a', 'one')
  const first = desk.take()
  desk.write('a', 'two')
  desk.write('new', 'three')
  const now = desk.take().id
  for (const path of desk.kept()) {
    const content = readFileSync(path, 'latin1')
    if (content === '\0two') writeFileSync(path, '\0TWO')
    if (content === '\0three') rmSync(path)
  }
  desk.restore(backTo(first.id))
  assert.equal(desk.read('a'), 'one')
  assert.deepEqual(desk.restore(backTo(now)).left, [])
  assert.deepEqual([desk.read('a'), desk.read('new')], ['two', 'three'])
})

test('snapshots that somebody deleted while a session runs are made whole again by its next one', () => {
  using desk = new Desk()
  desk.write('a', 'one')
  desk.take()
  rmSync(desk.folder, { recursive: true })
  const first = desk.take()
  assert.deepEqual(readdirSync(join(desk.folder, 'open')), [`s-1.${process.pid}`])
  desk.write('a', 'two')
  assert.deepEqual(desk.restore(backTo(first.id)).paths, ['a'])
})

test('a workspace that is reached by a link which leads elsewhere since is not taken for the one that was seen', () => {
  using desk = new Desk()
  const root = join(desk.base, 'current')
  const other = join(desk.base, 'other')
  desk.write('a', 'one')
  mkdirSync(other)
  writeFileSync(join(other, 'precious'), '')
  symlinkSync('work', root)
  const take = () => takenOf(desk.workspaces.run({ kind: 'take', place: { session: 's-1', root } })).id
  const first = take()
  rmSync(root)
  symlinkSync('other', root)
  const last = take()
  const place = { session: 's-1', root }
  const result = desk.workspaces.run({ kind: 'plan', place, history: backTo(first, last) })
  assert.equal(result.kind === 'failed' && result.failure.code, 'NOT_FOUND')
})

test('a workspace that cannot be read is trouble with a name', { skip: isRoot }, () => {
  using desk = new Desk()
  chmodSync(desk.root, 0)
  const result = desk.workspaces.run({ kind: 'take', place: desk.place })
  chmodSync(desk.root, 0o755)
  assert.equal(result.kind === 'failed' && result.failure.code, 'FILE_ERROR')
})

test('a clock that was set back does not end the making of room, and a writer that slept is still one', () => {
  using desk = new Desk()
  desk.take()
  const stamp = join(desk.folder, 'collected')
  writeFileSync(stamp, '')
  assert.equal(isDue(desk.folder), false)
  const [ahead, slept] = [Date.now() / 1000 + 86_400, Date.now() / 1000 - 3_600]
  utimesSync(stamp, ahead, ahead)
  assert.equal(isDue(desk.folder), true)
  const mark = join(desk.folder, 'writers', 'one')
  writeFileSync(mark, String(process.pid))
  utimesSync(mark, slept, slept)
  assert.equal(
    new Holds(desk.folder).collect(() => 'collected'),
    undefined,
  )
})
