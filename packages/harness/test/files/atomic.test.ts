import assert from 'node:assert/strict'
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { writeAtomic } from '../../src/files/atomic.ts'
import { readWhole } from '../../src/files/version.ts'
import { scratch, value } from '../builtin/context.ts'

const versionOf = async (path: string) => value(await readWhole(path, path)).version

test('a replaced file keeps its mode and leaves nothing else in its directory', async (t) => {
  const at = join(scratch(t), 'tool.sh')
  writeFileSync(at, 'old')
  chmodSync(at, 0o751)
  value(await writeAtomic(at, Buffer.from('new'), await versionOf(at)))
  assert.equal(readFileSync(at, 'utf8'), 'new')
  assert.equal(statSync(at).mode & 0o7777, 0o751)
  assert.deepEqual(readdirSync(join(at, '..')), ['tool.sh'])
})

test('another name of the same inode keeps the old bytes', async (t) => {
  const at = scratch(t)
  writeFileSync(join(at, 'outside'), 'S')
  linkSync(join(at, 'outside'), join(at, 'hard'))
  value(await writeAtomic(join(at, 'hard'), Buffer.from('x'), await versionOf(join(at, 'hard'))))
  assert.equal(readFileSync(join(at, 'outside'), 'utf8'), 'S')
})

test('a file that changed or appeared meanwhile is not overwritten', async (t) => {
  const at = join(scratch(t), 'f')
  writeFileSync(at, 'one')
  const version = await versionOf(at)
  writeFileSync(at, 'two')
  utimesSync(at, 1, 1)
  const changed = await writeAtomic(at, Buffer.from('mine'), version)
  assert.equal(changed.ok ? '' : changed.failure.code, 'STALE_FILE')
  const appeared = await writeAtomic(at, Buffer.from('mine'), 'absent')
  assert.equal(appeared.ok ? '' : appeared.failure.code, 'STALE_FILE')
  assert.equal(readFileSync(at, 'utf8'), 'two')
  assert.deepEqual(readdirSync(join(at, '..')), ['f'])
})

test('a directory swapped for a link after it was resolved is not written through', async (t) => {
  const at = scratch(t)
  mkdirSync(join(at, 'src'))
  mkdirSync(join(at, 'outside'))
  renameSync(join(at, 'src'), join(at, 'moved'))
  symlinkSync('outside', join(at, 'src'))
  const written = await writeAtomic(join(at, 'src/a'), Buffer.from('x'), 'absent')
  assert.equal(written.ok ? '' : written.failure.code, 'STALE_FILE')
  assert.deepEqual(readdirSync(join(at, 'outside')), [])
})

test('directories on the way are made, and a file on the way is trouble in words', async (t) => {
  const at = scratch(t)
  value(await writeAtomic(join(at, 'a/b/c.txt'), Buffer.from('x'), 'absent'))
  const through = await writeAtomic(join(at, 'a/b/c.txt/d'), Buffer.from('x'), 'absent')
  assert.equal(through.ok ? '' : through.failure.code, 'NOT_FOUND')
})
