import assert from 'node:assert/strict'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { globTool } from '../../src/builtin/glob.ts'
import { grepTool } from '../../src/builtin/grep.ts'
import { codeOf, FakeSession, scratch, told, viewed } from './context.ts'

const glob = globTool()
const grep = grepTool()

function project(t: TestContext, files: { readonly [path: string]: string }): FakeSession {
  const at = scratch(t)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(at, path)), { recursive: true })
    writeFileSync(join(at, path), text)
  }
  return new FakeSession(at)
}

const FILES = {
  '.gitignore': 'built/\n*.log\n',
  '.git/config.ts': 'needle',
  '.hidden/h.ts': 'needle',
  'built/x.ts': 'needle',
  'a.log': 'needle',
  'b.ts': 'one\nneedle two\nthree\n',
  'src/c.ts': 'Needle\n',
  'src/deep/d.test.ts': 'x\n',
}

test('glob finds names at any depth, in path order, without ignored files and .git', async (t) => {
  const session = project(t, FILES)
  assert.equal(told(await session.call(glob, { pattern: '*.ts' })), '.hidden/h.ts\nb.ts\nsrc/c.ts\nsrc/deep/d.test.ts')
  assert.equal(told(await session.call(glob, { pattern: '*.log' })), 'No file matches *.log.')
  assert.equal(told(await session.call(glob, { pattern: 'src/**/*.{ts,js}' })), 'src/c.ts\nsrc/deep/d.test.ts')
  assert.equal(told(await session.call(glob, { pattern: '*.ts', path: 'src/deep' })), 'src/deep/d.test.ts')
  assert.equal(told(await session.call(glob, { pattern: `${session.cwd}/b*` })), 'b.ts')
})

test('ignore files count outside a repository too', async (t) => {
  const session = project(t, { '.gitignore': '*.log\n', 'a.log': 'needle', 'b.txt': 'needle' })
  assert.equal(told(await session.call(glob, { pattern: '[ab].*' })), 'b.txt')
  assert.equal(told(await session.call(grep, { pattern: 'needle', files_only: true })), 'b.txt')
})

test('glob gives the newest first when asked, and counts what it leaves out', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 130 }, (_, i) => [`f${String(i).padStart(3, '0')}.txt`, '']))
  const session = project(t, many)
  for (const [at, name] of Object.keys(many).entries()) utimesSync(join(session.cwd, name), 1000 + at, 1000 + at)
  const lines = told(await session.call(glob, { pattern: '*.txt', newest: true })).split('\n')
  assert.deepEqual(
    [lines[0], lines.length, lines.at(-1)],
    ['f129.txt', 101, '[30 more; narrow the pattern or the path]'],
  )
})

test('grep shows matches by file with their line numbers, and context when asked', async (t) => {
  const session = project(t, FILES)
  assert.equal(told(await session.call(grep, { pattern: 'needle' })), '.hidden/h.ts\n1: needle\n\nb.ts\n2: needle two')
  const context = await session.call(grep, { pattern: 'needle', path: 'b.ts', context: 1 })
  assert.equal(told(context), 'b.ts\n1- one\n2: needle two\n3- three')
  const files = await session.call(grep, { pattern: 'NEEDLE', ignore_case: true, glob: '*.ts', files_only: true })
  assert.equal(told(files), '.hidden/h.ts\nb.ts\nsrc/c.ts')
  assert.equal(told(await session.call(grep, { pattern: 'nowhere' })), 'Nothing matches nowhere.')
})

test('a name that holds a line feed or an escape is one entry, quoted', async (t) => {
  const names = ['a\nsrc/forged.ts', 'b\u001b[2K\u202e.ts', '"quoted".ts', '--\n--\nc.ts', 'plain "d".ts']
  const session = project(t, Object.fromEntries(names.map((name) => [name, 'x\nneedle\ny\n'])))
  const entries = [
    String.raw`"--\n--\nc.ts"`,
    String.raw`"\"quoted\".ts"`,
    String.raw`"a\nsrc/forged.ts"`,
    String.raw`"b\u001b[2K\u202e.ts"`,
    'plain "d".ts',
  ]
  const sorted = (text: string, between: string) => text.split(between).sort()
  const globbed = await session.call(glob, { pattern: '**' })
  assert.deepEqual([sorted(told(globbed), '\n'), viewed(globbed, 'total')], [[...entries].sort(), 5])
  const files = await session.call(grep, { pattern: 'needle', files_only: true })
  assert.deepEqual([sorted(told(files), '\n'), viewed(files, 'count')], [[...entries].sort(), 5])
  const found = await session.call(grep, { pattern: 'needle', context: 1 })
  const blocks = entries.map((entry) => `${entry}\n1- x\n2: needle\n3- y`).sort()
  assert.deepEqual([sorted(told(found), '\n\n'), viewed(found, 'count')], [blocks, 5])
})

test('a binary file is said to match, and one whose first matches were shown counts no further', async (t) => {
  const session = project(t, { 'a.bin': 'needle\0', 'b.bin': `needle\n${'x\n'.repeat(100_000)}\0` })
  const whole = await session.call(grep, { pattern: 'needle', path: 'a.bin' })
  assert.match(told(whole), /^a\.bin: binary file matches/)
  assert.equal(viewed(whole, 'count'), 1)
  const begun = await session.call(grep, { pattern: 'needle' })
  assert.match(told(begun), /^b\.bin\n1: needle\nb\.bin: WARNING: stopped searching/)
  assert.equal(viewed(begun, 'count'), 1)
})

test('a pattern that is no regular expression is explained, and literal takes it as text', async (t) => {
  const session = project(t, { 'a.txt': 'f(x\n-e y\n' })
  const refused = await session.call(grep, { pattern: 'f(x' })
  assert.equal(codeOf(refused), 'INVALID_ARGUMENTS')
  assert.match(told(refused), /unclosed group.*literal/s)
  assert.equal(told(await session.call(grep, { pattern: 'f(x', literal: true })), 'a.txt\n1: f(x')
  assert.equal(told(await session.call(grep, { pattern: '-e y' })), 'a.txt\n2: -e y')
  assert.equal(told(await session.call(grep, { pattern: 'x\\n-e' })), 'a.txt\n1: f(x\n2: -e y')
})

test('a flood of matches and a very long line stay short, and it is said that there is more', async (t) => {
  const session = project(t, {
    'many.txt': 'hit\n'.repeat(500),
    'wide.txt': `${'é'.repeat(100_000)}needle\nneedle${'x'.repeat(2_000_000)}\n`,
  })
  const many = await session.call(grep, { pattern: 'hit' })
  assert.equal(viewed(many, 'count'), 100)
  assert.match(told(many), /\n\[only the first 100 matches; narrow the search\]$/)
  const wide = told(await session.call(grep, { pattern: 'needle' }))
  assert.ok(wide.length < 1500 && /^wide\.txt\n1: é+…\n2: needlex+…$/.test(wide), wide.slice(0, 300))
})

test('a place that is not there is answered with what looks like it', async (t) => {
  const session = project(t, FILES)
  for (const tool of [glob, grep]) {
    const missing = await session.call(tool, { pattern: 'x', path: 'scr' })
    assert.equal(codeOf(missing), 'NOT_FOUND')
    assert.match(told(missing), /Did you mean .*src/)
  }
})

test('an aborted search stops', async (t) => {
  const session = project(t, FILES)
  session.controller.abort()
  await assert.rejects(session.call(grep, { pattern: 'x' }), { name: 'AbortError' })
})
