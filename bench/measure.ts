/** One row of the table: something of ours beside the bare operation, measured in turn in the same run. */
export interface Row {
  readonly name: string
  readonly unit: string
  /** Medians. */
  readonly ours: number
  /** Null where nothing bare does the same. */
  readonly bare: number | null
  /** Which figure the budget is about: shown beside the measured one, never asserted. */
  readonly budget?: Budget
  readonly note?: string
}

export interface Budget {
  /** As the project states it. */
  readonly words: string
  /** What that comes to in this run, in the unit of the row. */
  readonly limit: number
  /** The figure may not be below the limit; otherwise not above it. */
  readonly atLeast?: true
}

export const misses = ({ ours, budget }: Row): boolean =>
  budget !== undefined && (budget.atLeast ? ours < budget.limit : ours > budget.limit)

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [low = Number.NaN, high = Number.NaN] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return (low + high) / 2
}

/** What a probe gives: one figure, or all it took. */
type Probe = () => Figures | Promise<Figures>
type Figures = number | readonly number[]

/**
 * Run several things in turn, A B C A B C …, so that all of them meet the same noise. The first round only warms up.
 * @param rounds those that count, at least 7.
 * @returns the median of each.
 */
export async function inTurn<K extends string>(rounds: number, probes: Record<K, Probe>): Promise<Record<K, number>> {
  const taken = new Map<string, number[]>()
  for (let round = 0; round <= rounds; round++)
    for (const [name, probe] of Object.entries<Probe>(probes)) {
      const figures = await probe()
      if (round > 0) taken.set(name, (taken.get(name) ?? []).concat(figures))
    }
  const medians = [...taken].map(([name, figures]) => [name, median(figures)])
  return Object.fromEntries(medians) as Record<K, number>
}

/** CPU milliseconds a piece of work takes in this process. */
export async function cpu(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
