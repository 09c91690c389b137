import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, symlinkSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readTool } from '../../src/builtin/read.ts'
import { codeOf, FakeSession, scratch, sha256, told } from './context.ts'

const read = readTool()

test('a file comes with line numbers, and the session knows which version was seen', async (t) => {
  const at = scratch(t)
  const text = 'one\n\ttwo\n\n'
  writeFileSync(join(at, 'f.txt'), text)
  symlinkSync('f.txt', join(at, 'link'))
  const session = new FakeSession(at)
  const output = await session.call(read, { path: 'link' })
  assert.equal(told(output), '1\tone\n2\t\ttwo\n3\t')
  assert.deepEqual(session.seen(join(at, 'f.txt')), { hash: sha256(text), whole: true, ranges: [] })
})

test('a long file is read window by window, each saying how to go on', async (t) => {
  const at = scratch(t)
  writeFileSync(join(at, 'f'), Array.from({ length: 5000 }, (_, i) => `l${i + 1}\n`).join(''))
  const session = new FakeSession(at)
  const first = told(await session.call(read, { path: 'f' }))
  assert.match(first, /\n2000\tl2000\n\[lines 1-2000 of 5000; continue with offset=2001\]$/)
  const last = told(await session.call(read, { path: 'f', offset: 4999, limit: 10 }))
  assert.equal(last, '4999\tl4999\n5000\tl5000\n[lines 4999-5000 of 5000, the end of the file]')
  assert.deepEqual(session.seen(join(at, 'f'))?.ranges, [
    [1, 2000],
    [4999, 5000],
  ])
  assert.equal(codeOf(await session.call(read, { path: 'f', offset: 5001 })), 'INVALID_ARGUMENTS')
})

test('bytes are bounded too, and a long line is cut between code points and does not count as wholly seen', async (t) => {
  const at = scratch(t)
  writeFileSync(join(at, 'wide'), `${'😀'.repeat(3000)}\nend\n`)
  writeFileSync(join(at, 'many'), `${'x'.repeat(1500)}\n`.repeat(100))
  const session = new FakeSession(at)
  const wide = told(await session.call(read, { path: 'wide' }))
  assert.equal(wide, `1\t${'😀'.repeat(2000)}… [cut at 2000]\n2\tend`)
  assert.deepEqual(session.seen(join(at, 'wide')), {
    ...session.seen(join(at, 'wide')),
    whole: false,
    ranges: [[1, 2]],
  })
  const many = told(await session.call(read, { path: 'many' }))
  assert.ok(Buffer.byteLength(many) < 53_000)
  assert.match(many, /continue with offset=35\]$/)
})

test('what stands around the text is said: line ends, mark, missing last line end, nothing at all', async (t) => {
  const at = scratch(t)
  writeFileSync(join(at, 'crlf'), '\uFEFFa\r\nb')
  writeFileSync(join(at, 'empty'), '')
  const session = new FakeSession(at)
  const text = told(await session.call(read, { path: 'crlf' }))
  assert.match(
    text,
    /^1\ta\n2\tb\n\[CRLF line ends.*; starts with a byte order mark.*; no line end after the last line\]$/,
  )
  assert.equal(told(await session.call(read, { path: 'empty' })), '[empty is empty]')
  assert.equal(session.seen(join(at, 'empty'))?.whole, true)
})

test('what is no text file is answered with what it is', async (t) => {
  const at = scratch(t)
  mkdirSync(join(at, 'src/deep'), { recursive: true })
  writeFileSync(join(at, 'src/a.ts'), '')
  writeFileSync(join(at, 'pic.png'), Buffer.from([0x89, 0x50, 0, 0]))
  writeFileSync(join(at, 'text.png'), 'not a picture\n')
  spawnSync('/bin/sh', ['-c', 'mkfifo "$0"', join(at, 'pipe')])
  const session = new FakeSession(at)
  const folder = await session.call(read, { path: 'src' })
  assert.equal(codeOf(folder), 'NOT_A_FILE')
  assert.match(told(folder), /a\.ts\ndeep\/$/)
  const picture = await session.call(read, { path: 'pic.png' })
  assert.equal(codeOf(picture), 'BINARY_FILE')
  assert.match(told(picture), /picture \(png\)/)
  assert.equal(told(await session.call(read, { path: 'text.png' })), '1\tnot a picture')
  assert.match(told(await session.call(read, { path: 'pipe' })), /is a named pipe/)
  const missing = await session.call(read, { path: 'src/b.ts' })
  assert.equal(codeOf(missing), 'NOT_FOUND')
  assert.match(told(missing), /Did you mean .*src\/a\.ts\?/)
})

test('a file of 200 MB, one line of it 100 MB long, is read in bounded memory', async (t) => {
  const at = scratch(t)
  const chunk = Buffer.from(`${'y'.repeat(99)}\n`.repeat(10_000))
  const long = Buffer.alloc(1_000_000, 'z')
  const file = openSync(join(at, 'big'), 'w')
  for (let i = 0; i < 100; i++) writeSync(file, long)
  for (let i = 0; i < 100; i++) writeSync(file, i === 0 ? Buffer.concat([Buffer.from('\n'), chunk]) : chunk)
  closeSync(file)
  const before = process.memoryUsage()
  const output = told(await new FakeSession(at).call(read, { path: 'big', limit: 2 }))
  const after = process.memoryUsage()
  assert.match(output, /^1\tz{2000}… \[cut at 2000\]\n2\ty{99}\n\[lines 1-2 of 1000001; continue with offset=3\]$/)
  assert.ok(after.arrayBuffers - before.arrayBuffers < 8_000_000 && after.heapUsed - before.heapUsed < 50_000_000)
})
