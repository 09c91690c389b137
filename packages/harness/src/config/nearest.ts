/** How many characters must be added, removed, changed or swapped with their neighbour to get from `a` to `b`. */
export function distance(a: string, b: string): number {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      const costs = [
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (same ? 0 : 1),
        row > 1 && column > 1 && swapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      ]
      current.push(Math.min(...costs))
    }
    before = above
    above = current
  }
  return above[b.length] ?? 0
}

/**
 * The known name that `name` most likely was meant to be; undefined when none is near. Case does not count.
 * @param most how many typing errors a name may have, given its length; by default one in three characters.
 */
export function nearest(
  name: string,
  known: Iterable<string>,
  most: (length: number) => number = (length) => Math.max(1, Math.floor(length / 3)),
): string | undefined {
  // A name longer than any that is known cannot be a typing error of one, and would only cost time.
  if (name.length > 100) return undefined
  let best: { readonly name: string; readonly far: number } | undefined
  for (const candidate of known) {
    const far = distance(name.toLowerCase(), candidate.toLowerCase())
    if (far <= most(candidate.length) && far < (best?.far ?? Number.POSITIVE_INFINITY)) {
      best = { name: candidate, far }
    }
  }
  return best?.name
}
