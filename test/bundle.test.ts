import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { bundle } from '../scripts/bundle.ts'
import { inRoot } from '../scripts/root.ts'

interface Bundled {
  readonly folder: string
  readonly files: readonly string[]
  readonly main: string
}

/** Bundles a small program inside the checkout, so that it finds the packages it imports. */
async function bundled(t: TestContext, source: string, extra: Record<string, string> = {}): Promise<Bundled> {
  const folder = mkdtempSync(inRoot('.scratch-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const dist = join(folder, 'dist')
  mkdirSync(dist)
  writeFileSync(join(dist, 'part-OLD.js'), '')
  writeFileSync(join(folder, 'main.ts'), source)
  for (const [name, text] of Object.entries(extra)) writeFileSync(join(folder, name), text)
  await bundle(join(folder, 'main.ts'), dist)
  return { folder: dist, files: readdirSync(dist), main: readFileSync(join(dist, 'main.js'), 'utf8') }
}

async function ran(folder: string): Promise<unknown> {
  const program: { main: () => unknown } = await import(pathToFileURL(join(folder, 'main.js')).href)
  return await program.main()
}

describe('the bundle', () => {
  test('gives a CommonJS package that is imported lazily the names Node gives it', async (t) => {
    const { folder } = await bundled(
      t,
      "export const main = async () => (await import('yaml')).parse('a: [1]') as unknown",
    )
    assert.deepEqual(await ran(folder), { a: [1] })
  })

  test('keeps what is imported lazily out of the file a start reads, and names its licence', async (t) => {
    const { folder, main, files } = await bundled(
      t,
      "export const main = async () => (await import('yaml')).parse('1')",
    )
    assert.ok(main.length < 1_000, main)
    assert.ok(files.includes('licenses.txt'))
    assert.match(readFileSync(join(folder, 'licenses.txt'), 'utf8'), /^yaml\n----\nCopyright/)
  })

  test("asks for Node's own modules without importing all that stands behind them", async (t) => {
    const source = [
      "import fs, { type Stats, existsSync as there } from 'node:fs'",
      "import type { Readable } from 'node:stream'",
      "import * as path from 'node:path'",
      "import { type Hash, createHash as hashed } from 'node:crypto'",
      'const kept: Stats | Readable | Hash | undefined = undefined',
      "const lazily = async () => (await import('node:http')).METHODS.includes('GET')",
      "export const main = async () => [await lazily(), there(path.sep), fs.existsSync(path.sep), hashed('md5').digest('hex').length, kept]",
    ]
    const { folder, main } = await bundled(t, source.join('\n'))
    assert.deepEqual(await ran(folder), [true, true, true, 32, undefined])
    assert.doesNotMatch(main, /\bimport\b/)
    assert.doesNotMatch(main, /node:stream/)
  })

  test('holds the texts beside the modules', async (t) => {
    const source = "import { text } from './text.ts'\nexport const main = () => text(import.meta.url, './note.md')"
    const { folder, main } = await bundled(t, source, {
      'text.ts':
        "import { readFileSync } from 'node:fs'\nexport const text = (base: string, file: string) => readFileSync(new URL(file, base), 'utf8')",
      'note.md': 'Read this.',
    })
    assert.equal(await ran(folder), 'Read this.')
    assert.match(main, /"Read this\."/)
  })

  test('has no syntax that the oldest Node it runs on does not know', async (t) => {
    const source =
      'export const main = () => { const end: string[] = []; { using _ = { [Symbol.dispose]: () => { end.push("end") } } }; return end }'
    const { folder, main } = await bundled(t, source)
    assert.deepEqual(await ran(folder), ['end'])
    assert.doesNotMatch(main, /\busing /)
  })

  test('leaves nothing of an earlier build behind', async (t) => {
    const { files } = await bundled(t, 'export const main = () => 1')
    assert.deepEqual(files, ['licenses.txt', 'main.js', 'main.js.map'])
  })
})
