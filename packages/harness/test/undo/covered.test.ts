import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { defaultLimits } from '../../src/undo/limits.ts'
import { Objects, objectNames } from '../../src/undo/objects.ts'
import { refusal } from '../../src/undo/refusal.ts'
import { scan } from '../../src/undo/scan.ts'
import type { StatCache } from '../../src/undo/stat-cache.ts'
import { backTo, Desk, listing } from './kit.ts'

test('what is above a limit is skipped and said, and a restore says that it cannot go back', () => {
  using desk = new Desk({ fileBytes: 10, files: 3, totalBytes: 12 })
  desk.write('a', '1234')
  desk.write('b', 'larger than ten bytes')
  desk.write('c', '1234567890')
  const first = desk.take()
  assert.deepEqual(
    [first.files, first.bytes, first.skipped],
    [
      1,
      4,
      [
        'b: it is larger than plugins.snapshots.config.fileBytes',
        'c: the workspace is larger than plugins.snapshots.config.totalBytes',
      ],
    ],
  )
  desk.write('b', 'also larger than ten bytes')
  desk.write('a', '4321')
  assert.deepEqual(desk.plan(backTo(first.id)), {
    files: [{ path: 'a', action: 'overwrite', by: 'session' }],
    left: [{ path: 'b', why: 'what it was is not known: it is larger than plugins.snapshots.config.fileBytes' }],
    unseen: { paths: ['c'], more: 0 },
  })
})

test('skipped paths are named up to twenty, with those that cannot be made again first', () => {
  using desk = new Desk({ fileBytes: 0 })
  for (let count = 0; count < 25; count++) desk.write(`${count}/node_modules/x`)
  desk.write('z', 'one')
  const { skipped } = desk.take()
  assert.equal(skipped.length, 21)
  assert.match(skipped[0] ?? '', /^z: /)
  assert.equal(skipped[20], 'and 6 more')
})

test('files that git ignores and does not know are covered; folders that can be made again are not', () => {
  using desk = new Desk()
  for (const path of ['.env', 'dist/a', 'build/b', 'sub/.git/config', '.git/HEAD', 'node_modules/x/y']) desk.write(path)
  desk.write('.gitignore', '.env\ndist\n')
  desk.write('target/CACHEDIR.TAG', 'Signature: 8a477f597d28d172789f06886806bc55\n')
  desk.write('target/debug/a')
  desk.write('src/target/CACHEDIR.TAG', 'not one')
  const first = desk.take()
  assert.deepEqual([...first.skipped].sort(), [
    '.git: it is what git keeps for itself',
    'node_modules: it can be made again, so it is in no snapshot',
    'sub/.git: it is what git keeps for itself',
    'target: it can be made again, so it is in no snapshot',
  ])
  assert.equal(first.files, 5)
  const before = listing(desk.root)
  for (const path of ['.env', 'dist', 'build', 'src', '.gitignore']) rmSync(join(desk.root, path), { recursive: true })
  desk.restore(backTo(first.id))
  assert.deepEqual(listing(desk.root), before)
})

test('nothing of git is touched, and what is kept is readable by its owner alone', () => {
  using desk = new Desk()
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd: desk.root, encoding: 'utf8' })
  git('init', '-q')
  desk.write('a', '1')
  git('add', '.')
  git('commit', '-qm', 'one')
  desk.write('a', '2')
  const before = listing(join(desk.root, '.git'))
  const first = desk.take()
  desk.write('a', '3')
  desk.restore(backTo(first.id))
  assert.deepEqual(listing(join(desk.root, '.git')), before)
  const modes = readdirSync(desk.folder, { recursive: true, withFileTypes: true }).map((entry) => [
    entry.isDirectory(),
    statSync(join(entry.parentPath, entry.name)).mode & 0o777,
  ])
  for (const [folder, mode] of modes) assert.equal(mode, folder ? 0o700 : 0o600)
  assert.equal(statSync(desk.folder).mode & 0o777, 0o700)
})

test('pipes are skipped without waiting for somebody to write, and links lead nowhere', () => {
  using desk = new Desk()
  execFileSync('/bin/sh', ['-c', 'mkfifo pipe'], { cwd: desk.root })
  symlinkSync('../outside', join(desk.root, 'link'))
  symlinkSync('/dev/zero', join(desk.root, 'zero'))
  const { files, skipped } = desk.take()
  assert.deepEqual([files, skipped], [0, ['pipe: it is no file, folder or link']])
})

test('a folder that was replaced by a link is never written through', () => {
  using desk = new Desk()
  desk.write('d/e/precious', 'inside')
  const first = desk.take()
  desk.write('d/e/precious', 'changed')
  const now = desk.take().id
  rmSync(join(desk.root, 'd'), { recursive: true })
  mkdirSync(join(desk.outside, 'e'))
  writeFileSync(join(desk.outside, 'e', 'precious'), 'changed')
  symlinkSync('../outside', join(desk.root, 'd'))
  const result = desk.workspaces.run({
    kind: 'restore',
    place: desk.place,
    history: backTo(first.id),
    now,
    overwrite: true,
  })
  assert.ok(result.kind === 'restored')
  assert.deepEqual(result.restored, {
    paths: [],
    left: [{ path: 'd/e/precious', why: 'its folder is not there, or leads elsewhere' }],
  })
  assert.equal(listing(desk.outside)['e/precious'], 'file 644 changed')
})

test('a file that changed between the look and the restore stays as it is', () => {
  using desk = new Desk()
  desk.write('a', 'one')
  const first = desk.take()
  desk.write('a', 'two')
  const now = desk.take().id
  desk.write('a', 'my own')
  const restore = { kind: 'restore', place: desk.place, history: backTo(first.id), now, overwrite: true } as const
  const result = desk.workspaces.run(restore)
  assert.deepEqual(result, {
    kind: 'restored',
    restored: { paths: [], left: [{ path: 'a', why: 'it changed a moment ago' }] },
  })
  assert.equal(desk.read('a'), 'my own')
})

test('a file that changes without its size or time looking different is still seen', () => {
  using desk = new Desk()
  const at = new Date()
  for (const content of ['aaaa', 'bbbb']) {
    desk.write('a', content)
    utimesSync(join(desk.root, 'a'), at, at)
    const taken = desk.take()
    desk.write('a', 'else')
    desk.restore(backTo(taken.id))
    assert.equal(desk.read('a'), content)
  }
})

test('an unchanged workspace is known again by another process, and contents that were lost are kept anew', () => {
  using desk = new Desk()
  desk.write('a', 'one')
  const first = desk.take()
  rmSync(join(desk.folder, 'objects'), { recursive: true })
  desk.workspaces = desk.again()
  assert.equal(desk.take().id, first.id)
  desk.write('a', 'two')
  desk.restore(backTo(first.id))
  assert.equal(desk.read('a'), 'one')
})

test('what looks as it did is not read again, unless it was young when it was read or its content is gone', () => {
  using desk = new Desk()
  desk.write('a', 'one')
  const objects = new Objects(join(desk.folder, 'objects'))
  const look = (cache: StatCache, ahead: number) =>
    scan({
      root: desk.root,
      limits: defaultLimits,
      hidden: new Set(),
      cache,
      objects,
      stopped: () => false,
      now: () => Date.now() + ahead,
    })
  const young = look(new Map(), 0)
  assert.equal(look(young.cache, 0).changed, true)
  const old = look(young.cache, 60_000)
  assert.equal(look(old.cache, 60_000).changed, false)
  rmSync(objects.folder, { recursive: true })
  objects.forget()
  assert.equal(look(old.cache, 60_000).changed, true)
  assert.equal(objectNames(objects.folder).length, 2)
})

test('content that was damaged where it is kept is not put back, and is kept anew when it is seen again', () => {
  using desk = new Desk()
  desk.write('a', 'one')
  const first = desk.take()
  desk.write('a', 'two')
  for (const two of readdirSync(join(desk.folder, 'objects')))
    for (const name of readdirSync(join(desk.folder, 'objects', two))) {
      const path = join(desk.folder, 'objects', two, name)
      if (statSync(path).size === 4) writeFileSync(path, '\0ONE')
    }
  const { left } = desk.restore(backTo(first.id))
  assert.deepEqual(left, [{ path: 'a', why: 'its content is not kept any more' }])
  assert.equal(desk.read('a'), 'two')
  desk.write('a', 'one')
  assert.equal(desk.take().id, first.id)
  desk.write('a', 'two')
  assert.deepEqual(desk.restore(backTo(first.id)).paths, ['a'])
})

test('a restore that broke off in the middle is finished by doing it again', () => {
  using desk = new Desk()
  for (const name of ['a', 'b', 'd/c']) desk.write(name, 'one')
  const first = desk.take()
  rmSync(join(desk.root, 'd'), { recursive: true })
  desk.write('a', 'two')
  desk.write('d', 'a file now')
  const last = desk.take()
  const safety = desk.take()
  // It got as far as the file that was in the way.
  rmSync(join(desk.root, 'd'))
  const later = [
    { tree: last.id, by: 'session' },
    { tree: safety.id, by: 'person' },
  ] as const
  desk.restore({ first: first.id, later, since: 'unknown' })
  assert.deepEqual([desk.read('a'), desk.read('d/c')], ['one', 'one'])
})

test('no snapshots are made of a home directory or of what is around it', () => {
  assert.match(refusal('/home/me', '/home/me') ?? '', /your home directory/)
  assert.match(refusal('/', '/home/me') ?? '', /around your home/)
  assert.match(refusal('/home', '/home/me') ?? '', /around your home/)
  assert.equal(refusal('/home/me/project', '/home/me'), undefined)
  assert.equal(refusal('/home/you', '/home/me'), undefined)
})

test('what rein itself keeps is skipped where it lies inside the workspace, and a folder nobody may read is', () => {
  using desk = new Desk()
  mkdirSync(join(desk.base, 'home', 'sessions'), { recursive: true })
  desk.write('closed/a')
  chmodSync(join(desk.root, 'closed'), 0)
  const place = { session: 's-1', root: desk.base }
  const result = desk.workspaces.run({ kind: 'take', place })
  chmodSync(join(desk.root, 'closed'), 0o755)
  assert.ok(result.kind === 'taken')
  assert.ok(result.taken.skipped.includes('home: it is a private place'))
  const closed = result.taken.skipped.includes('work/closed: it could not be read')
  assert.equal(closed, process.getuid?.() !== 0)
})
