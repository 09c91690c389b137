import { ModelDisk, Process } from './model-disk.ts'

/** The processes of a scenario; `begin` sets each going and is called anew for every replay. */
export interface Scenario {
  readonly processes: number
  /** Process numbers and after how many file operations each dies. */
  readonly deaths?: ReadonlyMap<number, number>
  /** Processes 1 and up do the same: orders that differ only in which of them is called 1 are tried once. */
  readonly alike?: boolean
  begin(processes: readonly Process[]): readonly (() => Promise<void>)[]
}

export interface Search {
  /** How many interleavings the states stand for. */
  readonly interleavings: bigint
  readonly states: number
  /** The first broken promise found, with the order of operations that leads to it. */
  readonly broken: string | undefined
}

/**
 * Run a scenario in every order of its file operations. Orders that meet in one state (same files, same answers so
 * far for every process) go on as one, which is what makes all of them affordable.
 */
export async function everyInterleaving(scenario: Scenario): Promise<Search> {
  const after = new Map<string, Map<number, string>>()
  const open: (readonly number[])[] = [[]]
  let root: string | undefined
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const run = await Run.replay(scenario, path.slice(0, -1))
    let from = run.key()
    root ??= from
    const order = path.slice(0, -1)
    for (let next = path.at(-1); ; ) {
      if (next !== undefined) {
        await run.advance(next)
        order.push(next)
        const broken = run.broken()
        if (broken) return { interleavings: 0n, states: after.size, broken: `${broken} after ${order.join('')}` }
        const to = run.key()
        after.get(from)?.set(next, to)
        from = to
      }
      if (after.has(from)) break
      after.set(from, new Map())
      const [first, ...others] = run.runnable()
      for (const other of others) open.push([...order, other])
      next = first
      if (next === undefined) break
    }
  }
  return { interleavings: count(root ?? '', after, new Map()), states: after.size, broken: undefined }
}

/** Play one order: process numbers with how many operations each does in its turn. @returns the promise it breaks. */
export async function played(
  scenario: Scenario,
  turns: readonly (readonly [process: number, operations: number])[],
): Promise<string | undefined> {
  const run = await Run.replay(scenario, [])
  for (const [number, operations] of turns) {
    for (let done = 0; done < operations && run.runnable().includes(number); done++) {
      await run.advance(number)
      const broken = run.broken()
      if (broken) return broken
    }
  }
  return undefined
}

function count(
  key: string,
  after: ReadonlyMap<string, ReadonlyMap<number, string>>,
  known: Map<string, bigint>,
): bigint {
  const before = known.get(key)
  if (before !== undefined) return before
  const next = after.get(key)
  let paths = next && next.size > 0 ? 0n : 1n
  for (const to of next?.values() ?? []) paths += count(to, after, known)
  known.set(key, paths)
  return paths
}

/** One world, played up to some point. */
class Run {
  readonly #disk: ModelDisk
  readonly #processes: readonly Process[]
  readonly #alike: boolean

  private constructor(disk: ModelDisk, processes: readonly Process[], alike: boolean) {
    this.#disk = disk
    this.#processes = processes
    this.#alike = alike
  }

  static async replay(scenario: Scenario, path: readonly number[]): Promise<Run> {
    const disk = new ModelDisk()
    const processes: Process[] = []
    const isGone = (number: number): boolean => processes[number]?.ended ?? false
    for (let number = 0; number < scenario.processes; number++) {
      const diesAfter = scenario.deaths?.get(number)
      processes.push(new Process(number, { disk, isGone, ...(diesAfter === undefined ? {} : { diesAfter }) }))
    }
    const work = scenario.begin(processes)
    for (const [number, process] of processes.entries()) await process.start(work[number] ?? (async () => {}))
    const run = new Run(disk, processes, scenario.alike ?? false)
    for (const number of path) await run.advance(number)
    return run
  }

  async advance(number: number): Promise<void> {
    await this.#processes[number]?.advance()
  }

  runnable(): readonly number[] {
    const waits = ({ number }: Process): boolean =>
      this.#alike && number > 1 && this.#processes[number - 1]?.begun === false
    return this.#processes.filter((process) => !process.ended && !waits(process)).map((process) => process.number)
  }

  key(): string {
    return [this.#disk.key(), ...this.#processes.map((process) => process.key())].join('\n')
  }

  /** Every acknowledged line stands at its position in what readers read, at every moment; no position twice. */
  broken(): string | undefined {
    const published = this.#disk.published()
    const taken = new Set<number>()
    for (const { by, position, line } of this.#disk.acknowledged) {
      if (taken.has(position)) return `two writers were acknowledged at ${position}`
      taken.add(position)
      if (published[position] !== line) return `line ${line} of ${by} is lost: ${JSON.stringify(published)}`
    }
    return undefined
  }
}
