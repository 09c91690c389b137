import { readFileSync } from 'node:fs'
import { type Comment, parseSync } from 'oxc-parser'

/** One node of a syntax tree; `start` and `end` are offsets in the source text. */
export interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

export interface Syntax {
  readonly path: string
  readonly text: string
  readonly program: SyntaxNode
  readonly comments: readonly Comment[]
  /** 1-based line of an offset. */
  line(offset: number): number
}

/**
 * The syntax tree of one source file.
 * @throws SyntaxError when the text does not parse.
 */
export function parse(path: string, text = readFileSync(path, 'utf8')): Syntax {
  const { program, comments, errors } = parseSync(path, text)
  const first = errors[0]
  if (first) throw new SyntaxError(`${path}: ${first.message}`)
  if (!isNode(program)) throw new TypeError(`${path}: the parser gave no tree`)
  return { path, text, program, comments, line: lineOf(text) }
}

function lineOf(text: string): (offset: number) => number {
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index)
  return (offset) => {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle] ?? 0) < offset) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

/** The nodes directly under one, in source order of its fields. */
export function children(node: SyntaxNode): SyntaxNode[] {
  return Object.values(node).flat().filter(isNode)
}

/** A node and everything under it, parents first, each with its parent. */
export function* walk(node: SyntaxNode, parent?: SyntaxNode): Generator<[node: SyntaxNode, parent?: SyntaxNode]> {
  yield parent ? [node, parent] : [node]
  for (const child of children(node)) yield* walk(child, node)
}

/** A field that holds a node. */
export function field(node: SyntaxNode | undefined, name: string): SyntaxNode | undefined {
  const value = node?.[name]
  return isNode(value) ? value : undefined
}

/** A field that holds a list of nodes; empty when it does not. */
export function list(node: SyntaxNode | undefined, name: string): SyntaxNode[] {
  const value = node?.[name]
  return Array.isArray(value) ? value.filter(isNode) : []
}

/** The name an identifier stands for, or the text of a string literal. */
export function nameOf(node: SyntaxNode | undefined): string | undefined {
  const name = node?.name ?? node?.value
  return typeof name === 'string' ? name : undefined
}

/** Everything a file imports, exports from, or names in an `import()`, as written. */
export function imports(syntax: Syntax): { specifier: string; line: number }[] {
  const found: { specifier: string; line: number }[] = []
  for (const [node] of walk(syntax.program)) {
    if (!/^(Import(Declaration|Expression)|Export(Named|All)Declaration|TSImportType)$/.test(node.type)) continue
    const specifier = nameOf(field(node, 'source'))
    if (specifier !== undefined) found.push({ specifier, line: syntax.line(node.start) })
  }
  return found
}

/** The text of the `/** … *\/` comment that ends directly before a node, on one line; empty when there is none. */
export function docOf(syntax: Syntax, node: SyntaxNode): string {
  const doc = syntax.comments.find(
    (comment) =>
      comment.type === 'Block' &&
      comment.value.startsWith('*') &&
      comment.end <= node.start &&
      /^[\s|]*(export\s+)?$/.test(syntax.text.slice(comment.end, node.start)),
  )
  return (doc?.value ?? '')
    .split('\n')
    .map((line) => line.replace(/^\s*\*+\s?/, '').trim())
    .filter((line) => line !== '')
    .join(' ')
}

/** The names a file exports, sorted; types as `type Name`. */
export function exportedNames(path: string): string[] {
  const { module } = parseSync(path, readFileSync(path, 'utf8'))
  const exported = module.staticExports.flatMap(({ entries }) => entries)
  return exported
    .flatMap(({ exportName, isType }) =>
      exportName.name ? [isType ? `type ${exportName.name}` : exportName.name] : [],
    )
    .toSorted()
}
