import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { apply } from '../../src/undo/apply.ts'
import { Objects } from '../../src/undo/objects.ts'
import { appear } from '../../src/undo/put.ts'
import { backTo, Desk, listing } from './kit.ts'

const isRoot = process.getuid?.() === 0

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
