import assert from 'node:assert/strict'
import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { editTool } from '../../src/builtin/edit.ts'
import { readTool } from '../../src/builtin/read.ts'
import { codeOf, FakeSession, scratch, told, viewed } from './context.ts'

const read = readTool()
const edit = editTool()
const fixture = (name: string) => readFileSync(new URL(`../fixtures/edit/${name}`, import.meta.url))
const opsOf = (name: string) => JSON.parse(fixture(`${name}.ops.json`).toString()) as { old: string; new: string }[]

for (const name of ['crlf', 'bom', 'trailing-spaces'])
  test(`${name}: only the place that was meant changes, byte for byte`, async (t) => {
    const at = scratch(t)
    writeFileSync(join(at, 'f'), fixture(`${name}.before`))
    const session = new FakeSession(at)
    await session.call(read, { path: 'f' })
    const output = await session.call(edit, { path: 'f', edits: opsOf(name) })
    assert.equal(codeOf(output), undefined)
    assert.deepEqual(readFileSync(join(at, 'f')), fixture(`${name}.after`))
  })

test('quotes: an exact edit works, and one with other quotes is refused with the exact text', async (t) => {
  const at = scratch(t)
  writeFileSync(join(at, 'f'), fixture('quotes.before'))
  const session = new FakeSession(at)
  await session.call(read, { path: 'f' })
  const [plain, curly] = opsOf('quotes')
  assert.ok(plain && curly)
  assert.equal(codeOf(await session.call(edit, { path: 'f', edits: [plain] })), undefined)
  const refused = await session.call(edit, { path: 'f', edits: [curly] })
  assert.equal(codeOf(refused), 'NO_MATCH')
  assert.ok(told(refused).includes('1: "t = “Nom d’hôte” — ok"'))
  const exact = { old: '“Nom d’hôte” — ok', new: '“Nom d’hôte” — done' }
  await session.call(edit, { path: 'f', edits: [exact] })
  assert.deepEqual(readFileSync(join(at, 'f')), fixture('quotes.after'))
})

test('tabs: two places that differ only in blanks are both shown, and nothing is guessed', async (t) => {
  const at = scratch(t)
  writeFileSync(join(at, 'f'), fixture('tabs.before'))
  const session = new FakeSession(at)
  await session.call(read, { path: 'f' })
  const refused = await session.call(edit, { path: 'f', edits: opsOf('tabs') })
  assert.equal(codeOf(refused), 'AMBIGUOUS_MATCH')
  assert.match(told(refused), /2: "\\tdo\(\)"\n4: "\\t\\tdo\(\)"/)
  assert.deepEqual(readFileSync(join(at, 'f')), fixture('tabs.before'))
})

test('gbk: a file that is not UTF-8 is left as it is', async (t) => {
  const at = scratch(t)
  writeFileSync(join(at, 'f'), fixture('gbk.before'))
  const session = new FakeSession(at)
  assert.equal(codeOf(await session.call(read, { path: 'f' })), 'NOT_UTF8')
  assert.equal(codeOf(await session.call(edit, { path: 'f', edits: opsOf('gbk') })), 'NOT_UTF8')
  assert.deepEqual(readFileSync(join(at, 'f')), fixture('gbk.before'))
})

test('formatter: an edit of a file that changed is told what changed, the same way each time until it is read', async (t) => {
  const at = scratch(t)
  const session = new FakeSession(at)
  writeFileSync(join(at, 'f'), 'f(a,b)\nrest\n')
  await session.call(read, { path: 'f' })
  writeFileSync(join(at, 'f'), 'f(a, b)\nrest\n')
  const args = { path: 'f', edits: [{ old: 'f(a,b)', new: 'g(a,b)' }] }
  const first = await session.call(edit, args)
  assert.equal(codeOf(first), 'STALE_FILE')
  assert.match(told(first), /-f\(a,b\)\n\+f\(a, b\)/)
  assert.deepEqual(await session.call(edit, args), first)
})

test('touch-only: the content decides, not the time', async (t) => {
  const at = scratch(t)
  const session = new FakeSession(at)
  writeFileSync(join(at, 'f'), 'a\n')
  await session.call(read, { path: 'f' })
  utimesSync(join(at, 'f'), 1, 1)
  assert.equal(codeOf(await session.call(edit, { path: 'f', edits: [{ old: 'a', new: 'b' }] })), undefined)
})

test('two-agents: the second of two sessions is refused and the first one’s work stays', async (t) => {
  const at = scratch(t)
  const [a, b] = [new FakeSession(at), new FakeSession(at)]
  writeFileSync(join(at, 'f'), 'x = 1\ny = 1\n')
  for (const session of [a, b]) await session.call(read, { path: 'f' })
  await b.call(edit, { path: 'f', edits: [{ old: 'x = 1', new: 'x = 2' }] })
  assert.equal(codeOf(await a.call(edit, { path: 'f', edits: [{ old: 'y = 1', new: 'y = 2' }] })), 'STALE_FILE')
  assert.equal(readFileSync(join(at, 'f'), 'utf8'), 'x = 2\ny = 1\n')
})

test('partial-read: only seen lines are edited, and they stay known as they move', async (t) => {
  const at = scratch(t)
  const session = new FakeSession(at)
  const text = Array.from({ length: 500 }, (_, i) => `line ${i + 1}.\n`).join('')
  writeFileSync(join(at, 'f'), text)
  await session.call(read, { path: 'f', limit: 50 })
  const outside = await session.call(edit, { path: 'f', edits: [{ old: 'line 400.', new: 'x' }] })
  assert.equal(codeOf(outside), 'READ_FIRST')
  const inside = await session.call(edit, { path: 'f', edits: [{ old: 'line 50.', new: 'line 50.\nmore' }] })
  assert.equal(codeOf(inside), undefined)
  assert.deepEqual(session.seen(join(at, 'f'))?.ranges, [[1, 51]])
  assert.equal(codeOf(await session.call(edit, { path: 'f', edits: [{ old: 'more', new: 'less' }] })), undefined)
  assert.equal(codeOf(await session.call(edit, { path: 'f', edits: [{ old: 'line 51.', new: 'x' }] })), 'READ_FIRST')
  writeFileSync(join(at, 'f'), readFileSync(join(at, 'f'), 'utf8').replace('line 400.', 'theirs'))
  assert.equal(codeOf(await session.call(edit, { path: 'f', edits: [{ old: 'less', new: 'x' }] })), 'STALE_FILE')
})

test('several edits happen together or not at all, and the change is shown as one diff', async (t) => {
  const at = scratch(t)
  const session = new FakeSession(at)
  writeFileSync(join(at, 'f'), 'a\nb\nc\nb\n')
  await session.call(read, { path: 'f' })
  const half = {
    path: 'f',
    edits: [
      { old: 'a', new: 'A' },
      { old: 'zzz', new: 'Z' },
    ],
  }
  const refused = await session.call(edit, half)
  assert.match(told(refused), /^edits\.1: /)
  assert.equal(readFileSync(join(at, 'f'), 'utf8'), 'a\nb\nc\nb\n')
  const output = await session.call(edit, {
    path: 'f',
    edits: [
      { old: 'b', new: 'B', all: true },
      { old: 'a', new: 'A' },
    ],
  })
  assert.equal(readFileSync(join(at, 'f'), 'utf8'), 'A\nB\nc\nB\n')
  assert.equal(viewed(output, 'diff'), '@@ -1,4 +1,4 @@\n-a\n-b\n+A\n+B\n c\n-b\n+B')
  assert.equal(told(output), 'Edited f in 3 places: +3 -3 lines.')
})

test('a file that was never read, is not there, or is ambiguous is refused with the way on', async (t) => {
  const at = scratch(t)
  const session = new FakeSession(at)
  writeFileSync(join(at, 'file.ts'), 'x\nx\n')
  assert.equal(codeOf(await session.call(edit, { path: 'file.ts', edits: [{ old: 'x', new: 'y' }] })), 'READ_FIRST')
  const missing = await session.call(edit, { path: 'flie.ts', edits: [{ old: 'x', new: 'y' }] })
  assert.equal(codeOf(missing), 'NOT_FOUND')
  assert.match(told(missing), /Did you mean .*file\.ts/)
  await session.call(read, { path: 'file.ts' })
  const twice = await session.call(edit, { path: 'file.ts', edits: [{ old: 'x', new: 'y' }] })
  assert.equal(codeOf(twice), 'AMBIGUOUS_MATCH')
  assert.match(told(twice), /lines 1, 2/)
})

test('text around a hidden secret can be edited, and the secret stays', async (t) => {
  const at = scratch(t)
  const mark = '⟦secret:registered:abc123⟧'
  const hiding = editTool({ secrets: { found: () => new Map([[mark, 'hunter22']]) } })
  const session = new FakeSession(at)
  writeFileSync(join(at, 'f'), 'key=hunter22 # old\n')
  await session.call(read, { path: 'f' })
  await session.call(hiding, { path: 'f', edits: [{ old: `key=${mark} # old`, new: `key=${mark} # new` }] })
  assert.equal(readFileSync(join(at, 'f'), 'utf8'), 'key=hunter22 # new\n')
})
