import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { absolutePath, notFound, resolvePath } from '../../src/files/path.ts'
import { scratch, value } from '../builtin/context.ts'

test('a path through links is the path they lead to, whether something is there or not', async (t) => {
  const at = scratch(t)
  mkdirSync(join(at, 'real/deep'), { recursive: true })
  mkdirSync(join(at, 'out'))
  symlinkSync('real', join(at, 'link'))
  symlinkSync(join(at, 'out/new.txt'), join(at, 'dangling'))
  symlinkSync('../out', join(at, 'real/up'))
  writeFileSync(join(at, 'real/a.txt'), '')
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['link/a.txt', 'real/a.txt', true],
    ['link/new/b.txt', 'real/new/b.txt', false],
    ['dangling', 'out/new.txt', false],
    ['link/up/x', 'out/x', false],
    ['link/deep', 'real/deep', true],
    ['no/such/dir', 'no/such/dir', false],
  ]
  for (const [path, expected, exists] of cases)
    assert.deepEqual(value(await resolvePath(path, at)), { path: join(at, expected), exists }, path)
})

test('links in a circle are refused, and a file in place of a directory is not found', async (t) => {
  const at = scratch(t)
  symlinkSync('b', join(at, 'a'))
  symlinkSync('a', join(at, 'b'))
  writeFileSync(join(at, 'file'), '')
  const circle = await resolvePath('a/x', at)
  assert.equal(circle.ok ? '' : circle.failure.code, 'FILE_ERROR')
  const inside = await resolvePath('file/x', at)
  assert.equal(inside.ok ? '' : inside.failure.code, 'NOT_FOUND')
  const nul = await resolvePath('a\0b', at)
  assert.equal(nul.ok ? '' : nul.failure.code, 'NOT_FOUND')
})

test('a missing file is answered with the names that look like it', async (t) => {
  const at = scratch(t)
  mkdirSync(join(at, 'src'))
  for (const name of ['parser.ts', 'printer.ts', 'readme.md']) writeFileSync(join(at, 'src', name), '')
  const typo = await notFound(join(at, 'src/praser.ts'), 'src/praser.ts')
  assert.match(typo.failure.next ?? '', /src\/parser\.ts/)
  const folder = await notFound(join(at, 'scr/parser.ts'), 'scr/parser.ts')
  assert.match(folder.failure.message, /directory .*scr does not exist/)
  assert.match(folder.failure.next ?? '', /\/src/)
})

test('a tilde is the home directory only in front of a slash', () => {
  assert.equal(absolutePath('~/x', '/w'), join(homedir(), 'x'))
  assert.equal(absolutePath('~x', '/w'), '/w/~x')
  assert.equal(absolutePath('a/../b', '/w'), '/w/b')
})

test('a path that has no link on its way is itself, also above the root and with dots in it', async (t) => {
  const at = scratch(t)
  mkdirSync(join(at, 'a/b'), { recursive: true })
  for (const path of ['a/b', './a//b/', 'a/x/../b', join(at, 'a/b')])
    assert.deepEqual(value(await resolvePath(path, at)), { path: join(at, 'a/b'), exists: true }, path)
  assert.deepEqual(value(await resolvePath('/../..', at)), { path: '/', exists: true })
})

test('whatever links there are, what is there is found where the system finds it', async (t) => {
  const at = realpathSync(scratch(t))
  const place = fc.constantFrom('d', 'e', 'a/d', 'a/e', 'a/b/d')
  const target = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'a/b', 'a/e', '..', '../a', '../e', '../../d', './a/c')
  const links = fc.array(fc.tuple(place, target, fc.boolean()), { minLength: 2, maxLength: 5 })
  const names = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1, maxLength: 3 })
  const path = fc.oneof(
    names.map((parts) => parts.join('/')),
    fc.tuple(place, names).map(([from, parts]) => [from, ...parts].join('/')),
    place,
  )
  await fc.assert(
    fc.asyncProperty(links, fc.array(path, { minLength: 4, maxLength: 12 }), async (made, asked) => {
      const root = mkdtempSync(join(at, 'tree-'))
      mkdirSync(join(root, 'a/b'), { recursive: true })
      writeFileSync(join(root, 'a/c'), '')
      for (const [name, to, absolute] of made)
        tried(() => symlinkSync(absolute ? join(root, to) : to, join(root, name)))
      for (const each of asked) {
        const real = tried(() => realpathSync.native(join(root, each)))
        const found = await resolvePath(each, root)
        if (real !== undefined) assert.deepEqual(value(found), { path: real, exists: true }, each)
        else assert.equal(found.ok && found.value.exists, false, each)
      }
    }),
    { numRuns: 60 },
  )
})

/** What a file operation gives, or undefined where the tree does not have it so. */
function tried<T>(operation: () => T): T | undefined {
  try {
    return operation()
  } catch (error) {
    assert.match(String(error), /EEXIST|ENOENT|ENOTDIR|ELOOP/)
    return undefined
  }
}
