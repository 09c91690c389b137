import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { inRoot } from './root.ts'
import { exportedNames } from './syntax.ts'

// The public names of every package, one list an entry point. `npm run exports` writes the lists after a name was
// added or taken away on purpose; a test compares them with the code.

export interface Entry {
  /** The list, relative to the checkout: `test/exports/session.txt`. */
  readonly list: string
  /** One name a line, types marked, sorted. */
  readonly names: string
}

export function entries(): Entry[] {
  return globSync('packages/*/package.json', { cwd: inRoot() }).toSorted().flatMap(entriesOf)
}

function entriesOf(path: string): Entry[] {
  const { exports = {} }: { exports?: Record<string, string> } = JSON.parse(readFileSync(inRoot(path), 'utf8'))
  const folder = path.replace(/package\.json$/, '')
  const name = folder.split(/[\\/]/)[1] ?? ''
  return Object.entries(exports).map(([key, file]) => ({
    list: `test/exports/${name}${key.slice(1).replaceAll('/', '-')}.txt`,
    names: `${exportedNames(inRoot(folder, file)).join('\n')}\n`,
  }))
}

if (import.meta.main) {
  mkdirSync(inRoot('test/exports'), { recursive: true })
  for (const { list, names } of entries()) writeFileSync(inRoot(list), names)
}
