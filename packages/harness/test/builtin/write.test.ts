import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readTool } from '../../src/builtin/read.ts'
import { writeTool } from '../../src/builtin/write.ts'
import { codeOf, FakeSession, scratch, told, viewed } from './context.ts'

const read = readTool()
const write = writeTool()

test('a new file is made with its directories, shown as a diff, and known to the session', async (t) => {
  const at = scratch(t)
  const session = new FakeSession(at)
  const output = await session.call(write, { path: 'a/b.txt', content: 'x\ny\n' })
  assert.equal(told(output), 'Created a/b.txt: 2 lines.')
  assert.equal(viewed(output, 'diff'), '@@ -0,0 +1,2 @@\n+x\n+y')
  assert.deepEqual([viewed(output, 'added'), viewed(output, 'created')], [2, true])
  const again = await session.call(write, { path: 'a/b.txt', content: 'x\nz\n' })
  assert.equal(told(again), 'Replaced a/b.txt: +1 -1 lines.')
  assert.equal(readFileSync(join(at, 'a/b.txt'), 'utf8'), 'x\nz\n')
})

test('an existing file that was not read, or only in part, is not replaced', async (t) => {
  const at = scratch(t)
  writeFileSync(join(at, 'f'), '1\n2\n3\n')
  const session = new FakeSession(at)
  assert.equal(codeOf(await session.call(write, { path: 'f', content: 'x' })), 'READ_FIRST')
  await session.call(read, { path: 'f', limit: 2 })
  assert.equal(codeOf(await session.call(write, { path: 'f', content: 'x' })), 'READ_FIRST')
  assert.equal(readFileSync(join(at, 'f'), 'utf8'), '1\n2\n3\n')
  await session.call(read, { path: 'f', offset: 3 })
  assert.equal(codeOf(await session.call(write, { path: 'f', content: 'x' })), undefined)
})

test('user-save: what a person saved since the read stays, and the model is told what changed', async (t) => {
  const at = scratch(t)
  const session = new FakeSession(at)
  writeFileSync(join(at, 'f'), 'one\ntwo\n')
  await session.call(read, { path: 'f' })
  writeFileSync(join(at, 'f'), 'one\nTWO by the person\n')
  const refused = await session.call(write, { path: 'f', content: 'mine\n' })
  assert.equal(codeOf(refused), 'STALE_FILE')
  assert.match(told(refused), /-two\n\+TWO by the person/)
  assert.equal(readFileSync(join(at, 'f'), 'utf8'), 'one\nTWO by the person\n')
})

test('line ends and mark of the replaced file are kept', async (t) => {
  const at = scratch(t)
  const session = new FakeSession(at)
  writeFileSync(join(at, 'f'), '\uFEFFa\r\nb\r\n')
  await session.call(read, { path: 'f' })
  await session.call(write, { path: 'f', content: 'a\nc\n' })
  assert.equal(readFileSync(join(at, 'f'), 'utf8'), '\uFEFFa\r\nc\r\n')
})

test('a directory, a pipe, a binary file and half a character are refused', async (t) => {
  const at = scratch(t)
  const session = new FakeSession(at)
  writeFileSync(join(at, 'bin'), Buffer.from([0, 1]))
  spawnSync('/bin/sh', ['-c', 'mkfifo "$0"', join(at, 'pipe')])
  assert.equal(codeOf(await session.call(write, { path: '.', content: 'x' })), 'NOT_A_FILE')
  assert.equal(codeOf(await session.call(write, { path: 'pipe', content: 'x' })), 'NOT_A_FILE')
  assert.equal(codeOf(await session.call(write, { path: 'bin', content: 'x' })), 'BINARY_FILE')
  assert.equal(codeOf(await session.call(write, { path: 'n', content: 'x\ud83d' })), 'INVALID_ARGUMENTS')
})

test('a hidden secret goes back into its own file, and into no other', async (t) => {
  const at = scratch(t)
  const mark = '⟦secret:registered:abc123⟧'
  const secrets = { found: (text: string) => new Map(text.includes('hunter22') ? [[mark, 'hunter22']] : []) }
  const hiding = writeTool({ secrets })
  const session = new FakeSession(at)
  writeFileSync(join(at, 'f'), 'key=hunter22\n')
  await session.call(read, { path: 'f' })
  await session.call(hiding, { path: 'f', content: `key=${mark}\nport=1\n` })
  assert.equal(readFileSync(join(at, 'f'), 'utf8'), 'key=hunter22\nport=1\n')
  assert.equal(codeOf(await session.call(hiding, { path: 'g', content: `key=${mark}\n` })), 'SECRET_PLACEHOLDER')
})
