import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'esbuild'
import { withoutImports } from './builtin-modules.ts'
import { inRoot } from './root.ts'
import { field, list, nameOf, parse, type Syntax, type SyntaxNode, walk } from './syntax.ts'

/** Reads the text beside a module, as the module itself does when it is not bundled. */
export type ReadText = (moduleUrl: string, name: string) => string

/** The call form that is replaced, for messages. */
const FORM = "text(import.meta.url, './name.md')"

interface Call {
  readonly node: SyntaxNode
  readonly name: string
}

/**
 * Replaces each `text(import.meta.url, './name.md')` by the text itself, so that the bundle reads no file for it.
 * The text is what the program's own `text` gives, so bundled and unbundled prompts are the same bytes.
 */
export function inlineText(): Plugin {
  return {
    name: 'inline-text',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const written = parse(path)
        const syntax = parse(path, withoutImports(written))
        const calls = syntax.text.includes('import.meta.url') ? textCalls(syntax) : []
        if (calls.length === 0 && syntax.text === written.text) return undefined
        const contents = calls.length === 0 ? syntax.text : replace(syntax, calls, await readText())
        return { contents, loader: 'ts', resolveDir: dirname(path) }
      })
    },
  }
}

/**
 * The source with every call replaced by a string literal.
 * @throws Error naming file and line when a text cannot be read.
 */
export function replace(syntax: Syntax, calls: readonly Call[], read: ReadText): string {
  let output = syntax.text
  for (const { node, name } of calls.toReversed()) {
    let content: string
    try {
      content = read(pathToFileURL(syntax.path).href, name)
    } catch (cause) {
      throw new Error(`${syntax.path}:${syntax.line(node.start)}: ${name} cannot be read`, { cause })
    }
    output = output.slice(0, node.start) + JSON.stringify(content) + output.slice(node.end)
  }
  return output
}

/**
 * The calls to replace, in source order.
 * @throws Error naming file and line when a call of `text` with the module's address does not name its file literally.
 */
export function textCalls(syntax: Syntax): Call[] {
  const calls: Call[] = []
  for (const [node] of walk(syntax.program)) {
    if (node.type !== 'CallExpression' || nameOf(field(node, 'callee')) !== 'text') continue
    const [url, file, ...rest] = list(node, 'arguments')
    if (!url || syntax.text.slice(url.start, url.end) !== 'import.meta.url') continue
    const name = file?.type === 'Literal' ? nameOf(file) : undefined
    if (name === undefined || rest.length > 0) {
      throw new Error(`${syntax.path}:${syntax.line(node.start)}: only ${FORM} can be bundled`)
    }
    calls.push({ node, name })
  }
  return calls
}

async function readText(): Promise<ReadText> {
  const path = inRoot('packages/harness/src/builtin/text.ts')
  const loaded: { text?: unknown } = await import(pathToFileURL(path).href)
  const { text } = loaded
  if (typeof text !== 'function') throw new Error(`${path} exports no function text`)
  return (url, name) => {
    const content: unknown = text(url, name)
    if (typeof content !== 'string') throw new Error(`text gave ${typeof content}, not a string`)
    return content
  }
}
