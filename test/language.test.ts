import assert from 'node:assert/strict'
import { basename } from 'node:path'
import { test } from 'node:test'
import { children, field, nameOf, type Syntax, type SyntaxNode, walk } from '../scripts/syntax.ts'
import { breaches, code, paths } from './tree.ts'

const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/

/** Names that say what a thing is called instead of what it does. */
const EMPTY_NAME = /[A-Za-z](Manager|Service|Helpers?|Impl|Utils?)$|^(utils?|helpers?)$/i

test('nothing is of type any', () => {
  assert.deepEqual(nodes('TSAnyKeyword'), [])
})

test('nothing is claimed to be there with an exclamation mark', () => {
  assert.deepEqual(nodes('TSNonNullExpression'), [])
  assert.deepEqual(
    breaches((syntax) => found(syntax, (node) => node.definite === true)),
    [],
  )
})

test('every export is written by name', () => {
  assert.deepEqual(nodes('ExportAllDeclaration'), [])
})

test('nothing is exported as default', () => {
  const isDefault = (node: SyntaxNode) =>
    node.type === 'ExportDefaultDeclaration' || nameOf(field(node, 'exported')) === 'default'
  assert.deepEqual(
    breaches((syntax) => found(syntax, isDefault)),
    [],
  )
})

test('a declaration is in one piece', () => {
  assert.deepEqual(nodes('TSModuleDeclaration', 'TSGlobalDeclaration'), [])
  assert.deepEqual(breaches(merged), [])
})

test('a name says what a thing does', () => {
  assert.deepEqual(breaches(emptyNames), [])
})

test('a file is named in kebab-case, by what it holds', () => {
  const files = [...code, ...paths('packages/**/*.md', '{docs,examples,scripts,bench}/**/*')]
  const wrong = files.filter((path) => {
    const name = basename(path)
    const isUpper = /^[A-Z]+\.md$/.test(name)
    return (!KEBAB.test(name) && !isUpper) || EMPTY_NAME.test(name.replace(/\..*$/, ''))
  })
  assert.deepEqual(wrong, [])
})

function nodes(...types: string[]): string[] {
  return breaches((syntax) => found(syntax, (node) => types.includes(node.type)))
}

function* found(syntax: Syntax, is: (node: SyntaxNode) => boolean): Iterable<[number, string]> {
  for (const [node] of walk(syntax.program)) {
    if (is(node)) yield [node.start, syntax.text.slice(node.start, node.end).split('\n', 1).join()]
  }
}

/** An interface declared twice, or beside a class of its name: TypeScript joins them without a word. */
function* merged(syntax: Syntax): Iterable<[number, string]> {
  const seen = new Set<string>()
  for (const statement of children(syntax.program)) {
    const node = field(statement, 'declaration') ?? statement
    if (!/^(TSInterfaceDeclaration|ClassDeclaration)$/.test(node.type)) continue
    const name = nameOf(field(node, 'id')) ?? ''
    if (seen.has(name)) yield [node.start, `${name} is declared twice`]
    seen.add(name)
  }
}

function* emptyNames(syntax: Syntax): Iterable<[number, string]> {
  for (const [node] of walk(syntax.program)) {
    if (!/^(TSInterface|TSTypeAlias|Class|Function)Declaration$/.test(node.type)) continue
    const name = nameOf(field(node, 'id')) ?? ''
    if (EMPTY_NAME.test(name)) yield [node.start, name]
  }
}
