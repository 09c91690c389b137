import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { run } from '../scripts/checks.ts'
import { inRoot } from '../scripts/root.ts'
import { paths, read } from './tree.ts'

interface Snippet {
  /** `docs-adding-md-12.ts`: the page and the line the block begins on. */
  readonly file: string
  readonly text: string
}

test('every TypeScript block in the docs compiles as it stands', async (t) => {
  const snippets = paths('*.md', 'docs/**/*.md', 'packages/*/*.md', 'examples/*.md').flatMap(snippetsOf)
  // Inside the checkout, so that a block finds the packages it imports by name.
  const folder = mkdtempSync(inRoot('.scratch-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const { file, text } of snippets) writeFileSync(join(folder, file), text)
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const { passed, output } = await run({ name: 'snippets', command: ['tsc', '-p', basename(folder)] })
  assert.ok(passed, output)
  assert.ok(snippets.length > 0)
})

/** A block may declare what it does not use: it shows something. */
const config = {
  extends: '../tsconfig.json',
  compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
  include: ['*.ts'],
}

function snippetsOf(path: string): Snippet[] {
  const text = read(path)
  return [...text.matchAll(/^```(?:ts|typescript)\n(?<block>.*?)^```$/gms)].map(({ index, groups }) => {
    const line = text.slice(0, index).split('\n').length
    return { file: `${path.replaceAll(/\W/g, '-')}-${line}.ts`, text: `${groups?.block}\nexport {}\n` }
  })
}
