import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { apply } from '../../src/undo/apply.ts'
import { isDue } from '../../src/undo/collect.ts'
import { Holds } from '../../src/undo/hold.ts'
import { Objects } from '../../src/undo/objects.ts'
import { appear } from '../../src/undo/put.ts'
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

test('a file with another name outside is never changed through it, neither its bytes nor its mode', () => {
  using desk = new Desk()
  for (const path of ['bytes', 'mode']) desk.write(path, 'same')
  const first = desk.take()
  for (const [path, text] of [
    ['bytes', 'else'],
    ['mode', 'same'],
  ] as const) {
    rmSync(join(desk.root, path))
    writeFileSync(join(desk.outside, path), text)
    chmodSync(join(desk.outside, path), 0o600)
    linkSync(join(desk.outside, path), join(desk.root, path))
  }
  const outside = listing(desk.outside)
  assert.deepEqual(desk.restore(backTo(first.id)).paths, ['bytes', 'mode'])
  assert.deepEqual(listing(desk.outside), outside)
  assert.equal(statSync(join(desk.root, 'mode')).mode & 0o777, 0o644)
})

test('no mode comes back wider than it was: sticky and set-group-id of folders do, set-user-id of files does not', () => {
  using desk = new Desk()
  for (const name of ['sticky', 'group']) mkdirSync(join(desk.root, name))
  chmodSync(join(desk.root, 'sticky'), 0o1777)
  chmodSync(join(desk.root, 'group'), 0o2755)
  for (const name of ['plain', 'raised']) desk.write(name)
  chmodSync(join(desk.root, 'plain'), 0o755)
  chmodSync(join(desk.root, 'raised'), 0o4755)
  const first = desk.take()
  rmSync(join(desk.root, 'sticky'), { recursive: true })
  chmodSync(join(desk.root, 'group'), 0o700)
  for (const name of ['plain', 'raised']) chmodSync(join(desk.root, name), 0o4700)
  desk.restore(backTo(first.id))
  const mode = (name: string) => (statSync(join(desk.root, name)).mode & 0o7777).toString(8)
  assert.deepEqual(['sticky', 'group', 'plain', 'raised'].map(mode), ['1777', '2755', '755', '755'])
})

test('a name that somebody took a moment ago is not taken from them', () => {
  using desk = new Desk()
  const at = (name: string) => Buffer.from(join(desk.root, name))
  desk.write('taken', 'theirs')
  desk.write('half', 'ours')
  symlinkSync('nowhere', at('link'))
  for (const temporary of ['half', 'link']) assert.equal(appear(at(temporary), at('taken')), false)
  assert.equal(desk.read('taken'), 'theirs')
  assert.deepEqual([appear(at('half'), at('file')), appear(at('link'), at('other'))], [true, true])
  const { half, link, file, other } = listing(desk.root)
  assert.deepEqual([half, link, file, other], [undefined, undefined, 'file 644 ours', 'link nowhere'])
})

test('what goes back over a file of another owner stays that owner’s', { skip: !isRoot }, () => {
  using desk = new Desk()
  desk.write('a', 'one')
  const first = desk.take()
  desk.write('a', 'two')
  chownSync(join(desk.root, 'a'), 65_534, 65_534)
  desk.restore(backTo(first.id))
  const { uid, gid } = statSync(join(desk.root, 'a'))
  assert.deepEqual([desk.read('a'), uid, gid], ['one', 65_534, 65_534])
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

test('a folder that a killed restore had made is as open as it was', () => {
  using desk = new Desk()
  class Dying extends Objects {
    override get(): never {
      throw new Error('killed')
    }
  }
  const hash = ''.padEnd(64, '0')
  const folder = { path: 'd', from: undefined, to: { kind: 'folder', hash, mode: 0o1777 }, by: 'session' } as const
  const file = {
    path: 'd/a',
    from: undefined,
    to: { kind: 'file', hash, size: 1, mode: 0o644 },
    by: 'session',
  } as const
  const options = { root: desk.root, objects: new Dying(desk.folder) }
  assert.throws(() => apply([folder, file], options), /killed/)
  assert.equal(statSync(join(desk.root, 'd')).mode & 0o7777, 0o1777)
})

test('half a file that a killed restore left is in no snapshot, and goes with the next restore', () => {
  using desk = new Desk()
  desk.write('d/a', 'one')
  const first = desk.take()
  desk.write('d/a', 'two')
  desk.write('new/b')
  const dead = '.rein-4194305-1-0123abcd-0.tmp'
  const alive = `.rein-${process.ppid}-1-0123abcd-0.tmp`
  for (const path of [`d/${dead}`, `new/${dead}`, `d/${alive}`, 'd/.rein-1.tmp']) desk.write(path, 'half')
  const { left } = desk.restore(backTo(first.id))
  assert.deepEqual(left, [])
  assert.deepEqual(readdirSync(join(desk.root, 'd')).sort(), [alive, 'a'].sort())
  assert.deepEqual(readdirSync(desk.root), ['d'])
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
