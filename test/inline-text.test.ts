import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { replace, textCalls } from '../scripts/inline-text.ts'
import { parse } from '../scripts/syntax.ts'

const bundled = (source: string, read = (_url: string, name: string) => `<${name}>`): string => {
  const syntax = parse('/project/tool.ts', source)
  return replace(syntax, textCalls(syntax), read)
}

describe('a text beside its module, when bundled', () => {
  test('stands in the code as a string', () => {
    assert.equal(
      bundled("const a = text(import.meta.url, './a.md')\nconst b = text(import.meta.url, './b.md')"),
      'const a = "<./a.md>"\nconst b = "<./b.md>"',
    )
  })

  test('is read relative to the module that asks for it', () => {
    const asked: string[] = []
    bundled("text(import.meta.url, './a.md')", (url) => {
      asked.push(url)
      return ''
    })
    assert.deepEqual(asked, ['file:///project/tool.ts'])
  })

  test('may hold anything a string can hold', () => {
    const content = `line\n"quoted" \${x} \\ \u2028 ü`
    const output = bundled("export const a = text(import.meta.url, './a.md')", () => content)
    assert.equal(JSON.parse(output.replace('export const a = ', '')), content)
  })

  test('is left alone in comments, strings and functions of other names', () => {
    const source =
      "// text(import.meta.url, './a.md')\nconst s = \"text(import.meta.url, './a.md')\"\nother(import.meta.url, './a.md')"
    assert.equal(bundled(source), source)
  })

  test('stops the build when its name is not written out, naming the line', () => {
    assert.throws(() => bundled('\ntext(import.meta.url, name)'), /tool\.ts:2: only text\(import\.meta\.url/)
    assert.throws(() => bundled("text(import.meta.url, './a.md', 1)"), /tool\.ts:1: only/)
  })

  test('stops the build when it is not there, naming the line', () => {
    const missing = (): string => {
      throw new Error('ENOENT')
    }
    assert.throws(() => bundled("\n\ntext(import.meta.url, './a.md')", missing), /tool\.ts:3: \.\/a\.md cannot be read/)
  })
})
