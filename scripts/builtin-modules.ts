import { field, list, nameOf, type Syntax, type SyntaxNode, walk } from './syntax.ts'

/**
 * The source with every `import { name } from 'node:…'` replaced by `const { name } = process.getBuiltinModule('node:…')`,
 * and every `import('node:…')` likewise.
 * An import of a module of Node's reads everything that module can give, and so loads what stands behind each lazy
 * property of it, such as streams for `node:fs` and a second HTTP client, 30 ms, for `node:http`. Lines keep their
 * numbers.
 */
export function withoutImports(syntax: Syntax): string {
  let output = syntax.text
  const found = [...walk(syntax.program)].map(([node]) => node).filter(({ type }) => /^Import(Decl|Expr)/.test(type))
  for (const node of found.toSorted((a, b) => b.start - a.start)) {
    const module = nameOf(field(node, 'source'))
    if (!module?.startsWith('node:')) continue
    const lines = '\n'.repeat(syntax.line(node.end) - syntax.line(node.start))
    const instead = node.type === 'ImportDeclaration' ? taken(node, module) : `Promise.resolve(${builtin(module)})`
    output = output.slice(0, node.start) + instead + lines + output.slice(node.end)
  }
  return output
}

/** Loaded by their first call: 5 ms that many commands never need. Only functions are taken from them. */
const lazy: ReadonlySet<string> = new Set(['node:crypto'])

/** Empty where only types are taken. */
function taken(node: SyntaxNode, module: string): string {
  if (node['importKind'] === 'type') return ''
  const from = builtin(module)
  const specifiers = list(node, 'specifiers').filter((each) => each['importKind'] !== 'type')
  const named = specifiers.filter(({ type }) => type === 'ImportSpecifier')
  if (lazy.has(module) && named.length === specifiers.length) return named.map((each) => called(each, from)).join(' ')
  const whole = specifiers.filter(({ type }) => type !== 'ImportSpecifier').map(localOf)
  const fields = named.map((each) => `${nameOf(field(each, 'imported'))}: ${localOf(each)}`)
  const constants = [...whole, ...(fields.length > 0 ? [`{ ${fields.join(', ')} }`] : [])]
  return constants.map((constant) => `const ${constant} = ${from};`).join(' ')
}

function called(specifier: SyntaxNode, from: string): string {
  const [name, local] = [nameOf(field(specifier, 'imported')), localOf(specifier)]
  return `let ${local}$from; const ${local} = (...given) => (${local}$from ??= ${from}).${name}(...given);`
}

const builtin = (module: string): string => `process.getBuiltinModule(${JSON.stringify(module)})`

const localOf = (specifier: SyntaxNode): string => nameOf(field(specifier, 'local')) ?? ''
