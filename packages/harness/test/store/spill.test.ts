import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { spillFiles } from '../../src/store/spill.ts'
import type { Spill } from '../../src/tools/definition.ts'

function folder(t: { after(undo: () => void): void }): string {
  const path = mkdtempSync(join(tmpdir(), 'rein-spill-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return join(path, 'spill')
}

test('a spill file holds what was written, in order, though no write was awaited', async (t) => {
  const spill: Spill = spillFiles(async () => folder(t))
  const file = await spill.open('bash-1.txt')
  await Promise.all([...Array(20).keys()].map((n) => file.write(Buffer.from(`line ${n}\n`))))
  await file.close()
  await file.close()
  assert.equal(readFileSync(file.path, 'utf8'), [...Array(20).keys()].map((n) => `line ${n}\n`).join(''))
  assert.equal((statSync(file.path).mode & 0o777).toString(8), '600')
})

test('a spill file stays inside its folder whatever it is called, and no name is used twice', async (t) => {
  const at = folder(t)
  const spill = spillFiles(async () => at)
  const names = ['../../etc/x', '.hidden', '', 'a/b c', 'out.txt', 'out.txt', 'x'.repeat(500)]
  const paths: string[] = []
  for (const name of names) {
    const file = await spill.open(name)
    await file.close()
    paths.push(file.path)
  }
  assert.deepEqual(new Set(paths.map((path) => dirname(path))), new Set([at]))
  assert.equal(new Set(paths).size, names.length)
  assert.equal(paths[5], join(at, 'out-2.txt'))
})

test('a spill file ends at its limit and says how much is missing', async (t) => {
  const file = await spillFiles(async () => folder(t), 10).open('big')
  await file.write(Buffer.from('123456'))
  await file.write(Buffer.from('789012345'))
  await file.write(Buffer.from('more'))
  await file.close()
  const text = readFileSync(file.path, 'utf8')
  assert.equal(text.slice(0, 10), '1234567890')
  assert.match(text.slice(10), /^\n\[9 more bytes were not kept/)
})
