import assert from 'node:assert/strict'
import { test } from 'node:test'
import { code, importsOf, paths, read } from './tree.ts'

const HARNESS = 'packages/harness/src/'

/** The third column of a table in docs/architecture.md, by the first. */
function allowed(heading: 'package' | 'folder'): Map<string, (name: string) => boolean> {
  const [, table = ''] = read('docs/architecture.md').split(`| ${heading} | holds | may import |\n`)
  const rows = new Map<string, (name: string) => boolean>()
  for (const line of table.split('\n').slice(1)) {
    const [, name, , imports] = line.split('|').map((cell) => cell.trim())
    if (name === undefined || imports === undefined) break
    rows.set(name.replaceAll(/[`/]/g, ''), reading(imports))
  }
  return rows
}

function reading(imports: string): (name: string) => boolean {
  const names = imports.replace(/^(all but|all|–)/, '').split(',')
  const listed = new Set(names.map((name) => name.trim()))
  return imports.startsWith('all') ? (name) => !listed.has(name) : (name) => listed.has(name)
}

const packages = allowed('package')
const folders = allowed('folder')
const sources = paths('packages/*/src/**/*.ts')

function packageOf(path: string): string {
  return path.split('/')[1] ?? ''
}

/** The row a file of the harness stands in: its folder, or the file itself beside the folders. */
function rowOf(path: string): string {
  return path.slice(HARNESS.length).split('/')[0] ?? ''
}

test('every package and every folder of the harness has a row in docs/architecture.md', () => {
  const unlisted = sources
    .filter((path) => !packages.has(packageOf(path)) || (path.startsWith(HARNESS) && !folders.has(rowOf(path))))
    .toSorted()
  assert.deepEqual(unlisted, [])
})

test('a package imports only the packages its row allows', () => {
  const wrong = sources.flatMap((path) =>
    importsOf(path)
      .filter(({ specifier }) => specifier.startsWith('@rein/'))
      .filter(({ specifier }) => !packages.get(packageOf(path))?.(specifier.split('/')[1] ?? ''))
      .map(({ specifier, line }) => `${path}:${line} ${specifier}`),
  )
  assert.deepEqual(wrong, [])
})

test('a folder of the harness imports only the folders its row allows', () => {
  const wrong = paths(`${HARNESS}**/*.ts`).flatMap((path) =>
    importsOf(path)
      .filter(({ target }) => target?.startsWith(HARNESS) && rowOf(target) !== rowOf(path))
      .filter(({ target }) => !folders.get(rowOf(path))?.(rowOf(target ?? '')))
      .map(({ specifier, line }) => `${path}:${line} ${specifier}`),
  )
  assert.deepEqual(wrong, [])
})

test('one package names another by its name, never by a path', () => {
  const wrong = code.flatMap((path) =>
    importsOf(path)
      .filter(({ target }) => path.startsWith('packages/') && target !== undefined)
      .filter(({ target }) => !target?.startsWith(`packages/${packageOf(path)}/`))
      .map(({ specifier, line }) => `${path}:${line} ${specifier}`),
  )
  assert.deepEqual(wrong, [])
})

test('kernel and session import nothing but their own files', () => {
  const wrong = paths('packages/{kernel,session}/src/**/*.ts').flatMap((path) =>
    importsOf(path)
      .filter(({ target }) => target === undefined)
      .map(({ specifier, line }) => `${path}:${line} ${specifier}`),
  )
  assert.deepEqual(wrong, [])
})

test('no file imports itself over others', () => {
  assert.deepEqual(cycles(), [])
})

/** Import cycles, types included, each as `a -> b -> a`. */
function cycles(): string[] {
  const done = new Set<string>()
  const found: string[] = []
  const visit = (path: string, way: readonly string[]): void => {
    const at = way.indexOf(path)
    if (at >= 0) found.push([...way.slice(at), path].join(' -> '))
    if (at >= 0 || done.has(path)) return
    for (const { target } of importsOf(path)) {
      if (target?.endsWith('.ts')) visit(target, [...way, path])
    }
    done.add(path)
  }
  for (const path of code) visit(path, [])
  return found
}
