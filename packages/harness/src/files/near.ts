/**
 * Names that look like the one that was meant, best first.
 * @param most how many to give at most.
 * @returns those within a third of the longer name's length in edits, or that hold the whole name; ties by name.
 */
export function nearNames(wanted: string, names: Iterable<string>, most = 3): readonly string[] {
  const low = wanted.toLowerCase()
  const found: { name: string; far: number }[] = []
  for (const name of names) {
    const far = farness(low, name.toLowerCase())
    if (far !== undefined) found.push({ name, far })
  }
  found.sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
  return found.slice(0, most).map(({ name }) => name)
}

function farness(wanted: string, name: string): number | undefined {
  const limit = Math.max(1, Math.floor(Math.max(wanted.length, name.length) / 3))
  if (Math.abs(wanted.length - name.length) <= limit) {
    const edits = editDistance(wanted, name)
    if (edits <= limit) return edits
  }
  const inside = wanted.length >= 3 && (name.includes(wanted) || (name.length >= 3 && wanted.includes(name)))
  return inside ? limit + 1 : undefined
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same)
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, (before[j - 2] ?? 0) + 1)
      row.push(best)
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}
