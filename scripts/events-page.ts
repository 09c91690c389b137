import { globSync } from 'node:fs'
import { ignorable, onSurface } from '../packages/session/src/events/checks.ts'
import { inRoot } from './root.ts'
import { docOf, field, list, nameOf, parse, type Syntax, type SyntaxNode } from './syntax.ts'

// The generated part of docs/events.md: a table a family, in the order of the union, and the shapes fields are made of.

const FOLDER = 'packages/session/src/events'

const files = globSync('*.ts', { cwd: inRoot(FOLDER) })
  .toSorted()
  .map((name) => parse(inRoot(FOLDER, name)))

const marks = { ignorable: new Set<string>(ignorable), onSurface: new Set<string>(onSurface) }

/** Markdown, without the markers around it. */
export function eventTables(): string {
  return [...families().map(table), shapes()].join('\n\n')
}

/** Names of all events the page has a row for. */
export function eventTypes(): string[] {
  return families().flatMap(({ members }) => members.map(({ type }) => type))
}

interface Family {
  readonly name: string
  readonly syntax: Syntax
  readonly members: readonly Member[]
}

interface Member {
  readonly type: string
  readonly data: SyntaxNode
  readonly doc: string
}

function families(): Family[] {
  const byName = new Map(files.flatMap((syntax) => aliases(syntax).map((alias) => [alias.name, { syntax, ...alias }])))
  const union = byName.get('SessionEvent')
  if (!union) throw new Error(`${FOLDER} declares no SessionEvent`)
  return members(union.type).map((reference) => {
    const family = byName.get(nameOf(field(reference, 'typeName')) ?? '')
    if (!family) throw new Error('SessionEvent names a family that is declared nowhere')
    const { name, syntax, type } = family
    return { name: name.replace(/Family$/, ''), syntax, members: members(type).map((node) => member(syntax, node)) }
  })
}

function aliases(syntax: Syntax): { name: string; type: SyntaxNode }[] {
  return list(syntax.program, 'body').flatMap((statement) => {
    const declared = field(statement, 'declaration')
    const type = field(declared, 'typeAnnotation')
    const name = nameOf(field(declared, 'id'))
    return declared?.type === 'TSTypeAliasDeclaration' && type && name !== undefined ? [{ name, type }] : []
  })
}

function members(type: SyntaxNode): SyntaxNode[] {
  return type.type === 'TSUnionType' ? list(type, 'types') : [type]
}

function member(syntax: Syntax, node: SyntaxNode): Member {
  const [literal, data] = list(field(node, 'typeArguments'), 'params')
  const type = nameOf(field(literal, 'literal'))
  if (type === undefined || !data)
    throw new Error(`${syntax.path}:${syntax.line(node.start)}: not an EventOf<'…', {…}>`)
  return { type, data, doc: docOf(syntax, node) }
}

function table({ name, syntax, members }: Family): string {
  const rows = members.map(({ type, data, doc }) => {
    const marked = [marks.onSurface.has(type) ? 'surface' : '', marks.ignorable.has(type) ? 'ignorable' : '']
    return `| \`${type}\` | ${marked.join('')} | ${fields(syntax, data)} | ${cell(doc)} |`
  })
  return [`## ${name}`, '', '| event | mark | data | meaning |', '|---|---|---|---|', ...rows].join('\n')
}

function fields(syntax: Syntax, data: SyntaxNode): string {
  if (data.type !== 'TSTypeLiteral') return code(source(syntax, data))
  return list(data, 'members')
    .map((node) => {
      const doc = docOf(syntax, node)
      return code(source(syntax, node)) + (doc === '' ? '' : ` ${cell(doc)}`)
    })
    .join('<br>')
}

/** The text of a node on one line, comments and `readonly` left out. */
function source(syntax: Syntax, { start, end }: SyntaxNode): string {
  return syntax.text
    .slice(start, end)
    .replaceAll(/\/\*\*.*?\*\//gs, '')
    .replaceAll(/\breadonly /g, '')
    .replaceAll(/\s+/g, ' ')
    .replace(/[;,]$/, '')
    .replaceAll(/(?<=[:=]) \| /g, ' ')
}

function code(text: string): string {
  return `\`${cell(text)}\``
}

/** A bar would end the cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}

/** Every other exported type of the event files, as one block that compiles. */
function shapes(): string {
  const skipped = /^(index|checks)\.ts$/
  const declarations = files
    .filter(({ path }) => !skipped.test(path.replace(/.*[\\/]/, '')))
    .flatMap((syntax) => exported(syntax).map((node) => withDoc(syntax, node)))
  const imports = "import type { Failure } from '@rein/session'"
  return ['## Shapes', '', '```ts', imports, '', declarations.join('\n\n'), '```'].join('\n')
}

function exported(syntax: Syntax): SyntaxNode[] {
  return list(syntax.program, 'body').filter((statement) => {
    const declared = field(statement, 'declaration')
    if (!declared || !/^TS(Interface|TypeAlias)Declaration$/.test(declared.type)) return false
    return !/(Family|^EventOf)$/.test(nameOf(field(declared, 'id')) ?? '')
  })
}

function withDoc(syntax: Syntax, node: SyntaxNode): string {
  const text = syntax.text.slice(node.start, node.end)
  const comment = syntax.comments.find(
    ({ end }) => end <= node.start && syntax.text.slice(end, node.start).trim() === '',
  )
  return comment ? `${syntax.text.slice(comment.start, comment.end)}\n${text}` : text
}
