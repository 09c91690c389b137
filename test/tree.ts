import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { inRoot, root } from '../scripts/root.ts'
import { imports, parse, type Syntax } from '../scripts/syntax.ts'

/** What no rule is about: not ours, made by a program, or bytes that are wrong on purpose. */
const SKIPPED = /(^|\/)(node_modules|dist|coverage|fixtures|\.git|\.scratch-[^/]*)(\/|$)|^bench\/results\//

/** Paths of files relative to the checkout, with `/`, sorted. */
export function paths(...patterns: string[]): string[] {
  return globSync(patterns, { cwd: root, exclude: (name) => SKIPPED.test(slashed(String(name))) })
    .map(slashed)
    .filter((path) => !SKIPPED.test(path))
    .toSorted()
}

export function read(path: string): string {
  return readFileSync(inRoot(path), 'utf8')
}

/** Every TypeScript file a person wrote. */
export const code: readonly string[] = paths('{packages,test,scripts,bench,examples}/**/*.ts')

/** Every line that breaks a rule, as `path:line what`; a rule holds when this is empty. */
export function breaches(check: (syntax: Syntax) => Iterable<[offset: number, what: string]>, files = code): string[] {
  return files.flatMap((path) => {
    const syntax = tree(path)
    return [...check(syntax)].map(([offset, what]) => `${path}:${syntax.line(offset)} ${what}`)
  })
}

const trees = new Map<string, Syntax>()

export function tree(path: string): Syntax {
  const known = trees.get(path)
  if (known) return known
  const parsed = parse(path, read(path))
  trees.set(path, parsed)
  return parsed
}

/** The file a relative import names, relative to the checkout. */
export function target(from: string, specifier: string): string {
  return slashed(relative(root, join(root, dirname(from), specifier)))
}

/** Imports of one file: `target` for relative ones, `specifier` as written for the rest. */
export function importsOf(path: string): { specifier: string; line: number; target?: string }[] {
  return imports(tree(path)).map((found) =>
    found.specifier.startsWith('.') ? { ...found, target: target(path, found.specifier) } : found,
  )
}

function slashed(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/')
}
