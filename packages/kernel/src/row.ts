import type { Problem, RowInfo } from './diagnosis.ts'
import type { Entry } from './entry.ts'
import type { Plugin } from './plugin.ts'
import type { Scope } from './scope.ts'
import type { Token } from './service.ts'

/** What runs under an id. */
export interface Definition {
  readonly plugin: Plugin
  /** Parsed. */
  readonly config: unknown
}

/** One setup of a row that is under way or has succeeded. */
export interface Run {
  readonly scope: Scope
  readonly offers: { readonly token: Token; readonly entry: Entry<unknown> }[]
  /** By name, what each need was when the run started. */
  readonly used: ReadonlyMap<string, Entry<unknown>>
}

/** One line of configuration while it is mounted. */
export interface Row {
  readonly id: string
  definition: Definition
  state: RowInfo['state']
  run: Run | undefined
  error: unknown
  /** Being unmounted: it may not start again. */
  leaving: boolean
}

export const needsOf = ({ plugin }: Definition): readonly Token[] => Object.values(plugin.needs)

export const offers = (run: Run | undefined, name: string): boolean =>
  run?.offers.some(({ token }) => token.name === name) ?? false

export const wants = ({ definition }: Row, name: string): boolean =>
  needsOf(definition).some((token) => token.name === name)

/** Those of `rows` that a definition rests on, directly or through others. */
export function upstream(definition: Definition, rows: readonly Row[], found = new Set<Row>()): Set<Row> {
  for (const row of rows) {
    if (found.has(row) || !needsOf(definition).some(({ name }) => offers(row.run, name))) continue
    found.add(row)
    upstream(row.definition, rows, found)
  }
  return found
}

/** Each row after all the others that rest on it; among the rest, the last mounted first. */
export function dependentsFirst(rows: Iterable<Row>): Row[] {
  const left = [...rows]
  const ordered: Row[] = []
  const isFree = (row: Row) =>
    !left.some((other) => other !== row && row.run?.offers.some(({ token }) => wants(other, token.name)))
  while (left.length > 0) ordered.push(...left.splice(left.findLastIndex(isFree), 1))
  return ordered
}

export const failure = ({ id, definition, error }: Row): Problem => ({
  kind: 'failed',
  row: id,
  error,
  message: `row "${id}" (${definition.plugin.name}) did not start: ${error}`,
})
