import assert from 'node:assert/strict'
import { test } from 'node:test'
import { children, field, list, nameOf, type Syntax, type SyntaxNode, walk } from '../scripts/syntax.ts'
import { breaches, code, paths, read } from './tree.ts'

const FILE_LINES = 250
const FUNCTION_LINES = 40
const PARAMETERS = 3
const SPINE_LINES = 3_400

/**
 * What somebody reads to know how rein works, in reading order: how a plugin comes and goes, what a session is made
 * of and folded into, who drives it, how a reply is put together, and how a tool call runs. Event types, encoders,
 * transports, stores, the tools themselves and what they declare are not in it: they are looked up, not read through.
 */
const SPINE = [
  'packages/kernel/src/**/*.ts',
  'packages/session/src/fold.ts',
  'packages/session/src/folds/**/*.ts',
  'packages/harness/src/agent/**/*.ts',
  'packages/harness/src/model/assembl*.ts',
  'packages/harness/src/tools/{pipeline,prepare,batch,outcome}.ts',
]

test(`a file has at most ${FILE_LINES} lines`, () => {
  const tooLong = code.map((path) => `${path} ${lines(read(path))}`).filter((row) => size(row) > FILE_LINES)
  assert.deepEqual(tooLong, [])
})

test(`a function has at most ${FUNCTION_LINES} lines, unless its body is one table or one switch`, () => {
  assert.deepEqual(breaches(longFunctions), [])
})

test(`a function takes at most ${PARAMETERS} positional parameters`, () => {
  assert.deepEqual(breaches(wideFunctions), [])
})

test(`the spine has at most ${SPINE_LINES} lines`, () => {
  const rows = paths(...SPINE).map((path) => `${path} ${lines(read(path))}`)
  const total = rows.reduce((sum, row) => sum + size(row), 0)
  assert.ok(total <= SPINE_LINES, `${total} lines:\n${rows.join('\n')}`)
})

test('every part of the spine is found where the rule looks for it', () => {
  assert.deepEqual(
    SPINE.filter((pattern) => paths(pattern).length === 0),
    [],
  )
})

function lines(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
}

function size(row: string): number {
  return Number(row.slice(row.lastIndexOf(' ')))
}

function isFunction({ type }: SyntaxNode): boolean {
  return /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type)
}

function* longFunctions(syntax: Syntax): Iterable<[number, string]> {
  for (const [node] of walk(syntax.program)) {
    if (!isFunction(node) || isOneTable(node)) continue
    const length = span(syntax, node) - testLines(syntax, node)
    if (length > FUNCTION_LINES) yield [node.start, `${nameOf(field(node, 'id')) ?? 'function'} has ${length} lines`]
  }
}

function* wideFunctions(syntax: Syntax): Iterable<[number, string]> {
  for (const [node] of walk(syntax.program)) {
    if (!isFunction(node) && !/^TS(MethodSignature|FunctionType|CallSignature\w*|DeclareFunction)$/.test(node.type))
      continue
    const count = list(node, 'params').filter((parameter) => nameOf(parameter) !== 'this').length
    if (count > PARAMETERS) yield [node.start, `${count} parameters`]
  }
}

function span(syntax: Syntax, { start, end }: SyntaxNode): number {
  return syntax.line(end) - syntax.line(start) + 1
}

/** A suite is a list of tests: each of them is measured for itself, the suite without them. */
function testLines(syntax: Syntax, node: SyntaxNode): number {
  if (isTest(node)) return span(syntax, node)
  return children(node).reduce((sum, child) => sum + testLines(syntax, child), 0)
}

function isTest(node: SyntaxNode): boolean {
  return node.type === 'CallExpression' && /^(test|it|describe|suite)$/.test(nameOf(field(node, 'callee')) ?? '')
}

function isOneTable(node: SyntaxNode): boolean {
  const body = field(node, 'body')
  const [only, ...more] = body?.type === 'BlockStatement' ? list(body, 'body') : [body]
  if (more.length > 0) return false
  const value = bare(only?.type === 'ReturnStatement' ? field(only, 'argument') : only)
  return /^(SwitchStatement|ObjectExpression|ArrayExpression)$/.test(value?.type ?? '')
}

/** Without `as const`, `satisfies T` and brackets around it. */
function bare(node: SyntaxNode | undefined): SyntaxNode | undefined {
  if (!node || !/^(TSAsExpression|TSSatisfiesExpression|ParenthesizedExpression)$/.test(node.type)) return node
  return bare(field(node, 'expression'))
}
