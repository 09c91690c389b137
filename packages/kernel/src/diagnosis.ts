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
  readonly state: 'waiting' | 'starting' | 'running' | 'stopping' | 'failed'
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
  const providers = (need: string) => rows.filter((row) => row.provides.includes(need))
  const missing = waiting.flatMap(({ id, name, missing }) =>
    missing
      .filter((need) => providers(need).length === 0)
      .map((need): Problem => {
        const message = `row "${id}" (${name}) waits for "${need}", which no row provides: mount one that does`
        return { kind: 'missing', row: id, need, message }
      }),
  )
  const inCycle = new Set<string>()
  const cycles: Problem[] = []
  const walk = (row: RowInfo, path: readonly RowInfo[]): void => {
    if (inCycle.has(row.id)) return
    const start = path.indexOf(row)
    if (start < 0) {
      for (const need of row.missing)
        for (const next of providers(need)) if (waiting.includes(next)) walk(next, [...path, row])
      return
    }
    const ids = [...path.slice(start), row].map(({ id }) => id)
    for (const id of ids) inCycle.add(id)
    cycles.push({
      kind: 'cycle',
      path: ids,
      message: `rows wait for each other: ${ids.map((id) => `"${id}"`).join(' needs ')}`,
    })
  }
  for (const row of waiting) walk(row, [])
  return [...missing, ...cycles]
}
