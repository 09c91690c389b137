/** Something a person may have to act on; `message` is a sentence that says what. */
export type Problem = { readonly message: string } & (
  | { readonly kind: 'missing'; readonly row: string; readonly need: string }
  /** Ids of rows that wait for each other; the first one comes again at the end. */
  | { readonly kind: 'cycle'; readonly path: readonly string[] }
  | { readonly kind: 'failed'; readonly row: string; readonly error: unknown }
  | { readonly kind: 'undo-timeout'; readonly row: string; readonly label: string }
  | { readonly kind: 'undo-failed'; readonly row: string; readonly label: string; readonly error: unknown }
)

export interface RowInfo {
  readonly id: string
  /** Name of the plugin. */
  readonly name: string
  readonly state: 'waiting' | 'running' | 'failed'
  /** Whether a replacement leaves its dependents running: everything it provides is a seam. */
  readonly swappable: boolean
  /** Names of what it provides; while it does not run, of what it declares. */
  readonly provides: readonly string[]
  readonly needs: readonly string[]
  /** The needs it waits for. */
  readonly missing: readonly string[]
}

/** Why rows wait: the causes only. A row that merely waits for another waiting or failed row is not listed. */
export function explainWaiting(rows: readonly RowInfo[]): Problem[] {
  const waiting = rows.filter((row) => row.state === 'waiting')
  const problems: Problem[] = []
  for (const { id, name, missing } of waiting) {
    for (const need of missing.filter((need) => !rows.some((row) => row.provides.includes(need)))) {
      const message = `row "${id}" (${name}) waits for "${need}", which no row provides: mount one that does`
      problems.push({ kind: 'missing', row: id, need, message })
    }
  }
  const done = new Set<RowInfo>()
  const walk = (row: RowInfo, path: readonly RowInfo[]): void => {
    if (path.includes(row)) problems.push(cycle([...path.slice(path.indexOf(row)), row]))
    else if (!done.has(row))
      for (const next of waiting)
        if (next.provides.some((name) => row.missing.includes(name))) walk(next, [...path, row])
    done.add(row)
  }
  for (const row of waiting) walk(row, [])
  return problems
}

function cycle(rows: readonly RowInfo[]): Problem {
  const path = rows.map(({ id }) => id)
  const message = `rows wait for each other: ${path.map((id) => `"${id}"`).join(' needs ')}`
  return { kind: 'cycle', path, message }
}
