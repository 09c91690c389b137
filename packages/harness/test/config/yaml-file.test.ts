import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { plain } from '../../src/config/traced.ts'
import { parseYaml, readYaml } from '../../src/config/yaml-file.ts'
import { place } from './fixture.ts'

const parse = async (text: string | Uint8Array) => {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  const { root, problems } = await parseYaml(bytes, { layer: 'user', file: 'f' })
  return { value: plain(root), problems: problems.map(({ place, message }) => `${place.line ?? 0}: ${message}`) }
}

test('a file that is broken names the line, and nothing of it counts', async () => {
  const { value, problems } = await parse('a: 1\nb:\n  - x\n c: [\n')
  assert.deepEqual(value, {})
  assert.ok(problems.length > 0)
  for (const problem of problems) assert.match(problem, /^[345]: /)
})

test('a key that is there twice is an error with its line', async () => {
  assert.deepEqual((await parse('a: 1\nb: 2\na: 3\n')).problems, ['3: Map keys must be unique'])
})

test('an empty file, and one with comments only, is an empty layer', async () => {
  for (const text of ['', '# nothing\n', '---\n', '\ufeff', '~\n'])
    assert.deepEqual(await parse(text), { value: {}, problems: [] })
})

test('a byte order mark and Windows line ends do no harm', async () => {
  assert.deepEqual(await parse('\ufeffa: 1\r\nb: x\r\n'), { value: { a: 1, b: 'x' }, problems: [] })
})

test('only plain data is taken: no references, no other types, no odd keys, no list at the top', async () => {
  assert.deepEqual((await parse('a: &x 1\nb: *x\n')).problems, ['2: references (*name) are not supported'])
  assert.deepEqual((await parse('a: .inf\n? [x]\n: 1\n')).problems, [
    '1: only text, finite numbers, true, false and null may stand here',
    '2: a key must be plain text',
  ])
  assert.deepEqual((await parse('- a\n')).problems, ['1: expected a map of keys at the top'])
  assert.deepEqual((await parse('text\n')).problems, ['1: expected a map of keys at the top'])
  assert.equal((await parse('a: !!binary aGk=\n')).problems.length, 1)
})

test('a key named like a part of every object is an ordinary key', async () => {
  const { root } = await parseYaml(Buffer.from('__proto__: { x: 1 }\nconstructor: 2\n'), { layer: 'user' })
  assert.deepEqual([...root.entries.keys()], ['__proto__', 'constructor'])
  assert.ok(Object.hasOwn(Object(plain(root)), '__proto__'))
})

test('bytes that are no UTF-8, and nesting without end, are refused', async () => {
  assert.deepEqual((await parse(Buffer.from([0x61, 0x3a, 0x20, 0xff]))).problems, ['0: is not UTF-8'])
  assert.deepEqual((await parse(`a: ${'['.repeat(100)}${']'.repeat(100)}`)).problems, ['1: is nested too deeply'])
  assert.deepEqual((await parse(`a: ${'['.repeat(20_000)}`)).problems, ['1: is nested too deeply'])
})

test('a file that is not there is no file, and a directory or a pipe is refused without waiting', async (t) => {
  const here = place(t)
  here.write('home/x', '')
  assert.equal(await readYaml(`${here.home}/none.yaml`, 'user'), undefined)
  assert.equal(await readYaml(`${here.home}/x/none.yaml`, 'user'), undefined)
  execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', `${here.home}/pipe`])
  for (const path of [here.home, `${here.home}/pipe`]) {
    assert.deepEqual(
      (await readYaml(path, 'user'))?.problems.map(({ message }) => message),
      ['is not a file'],
    )
  }
})
