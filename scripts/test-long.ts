// The long crash run, `npm run test:long`. Everything that `npm test` samples, at full length:
//   --points N     crash points in process, a store (20000)     --kills N     processes killed, a store on disk (500)
//   --freezes N    processes frozen and overtaken (200)         --writers N   processes at once in one home (16)
//   --stores a,b   memory, jsonl, sqlite (all)                  --seed N      another sample; it is printed (the time)
// Prints a table and ends with 1 on any loss.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { together } from '../packages/cli/test/together.ts'
import { crashScripts } from '../packages/harness/src/testing/crash/scripts.ts'
import type { Crashed } from '../packages/harness/src/testing/crash/suite.ts'
import { freeze } from '../packages/harness/test/crash/freezes.ts'
import { inHome, kill, playing, survivors } from '../packages/harness/test/crash/kills.ts'

const run = promisify(execFile)
const pointsOf = fileURLToPath(new URL('../packages/harness/test/crash/points-of.ts', import.meta.url))

const text = { type: 'string' } as const
const { values } = parseArgs({
  options: { points: text, kills: text, freezes: text, writers: text, stores: text, seed: text },
})
const numberOf = (name: 'points' | 'kills' | 'freezes' | 'writers', usual: number): number =>
  Number(values[name] ?? usual)
const stores = (values.stores ?? 'memory,jsonl,sqlite').split(',')
const onDisk = stores.filter((store) => store !== 'memory')
const seed = Number(values.seed ?? Date.now() % 1_000_000)

interface Row {
  readonly store: string
  readonly script: string
  readonly tried: number
  readonly resumed: number
  readonly losses: readonly string[]
}

/** Work on everything, so many at once. */
async function all<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items]
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

async function inProcess(): Promise<Row[]> {
  const rows: Row[] = []
  const each = Math.ceil(numberOf('points', 20_000) / crashScripts.length)
  if (each === 0) return rows
  const jobs = stores.flatMap((store) => crashScripts.map(({ name }) => ({ store, name })))
  await all(jobs, cpus().length, async ({ store, name }) => {
    const { stdout } = await run(process.execPath, [pointsOf, store, name, String(each), String(seed)])
    const crashed: Crashed = JSON.parse(stdout)
    rows.push({ store, script: name, tried: crashed.points, resumed: crashed.resumed, losses: crashed.losses })
    told(rows.at(-1))
  })
  return rows
}

/** Half of them die at an event, the others wherever they stand when the signal comes. */
async function kills(): Promise<Row[]> {
  const rows = onDisk.flatMap((store) => crashScripts.map(({ name }) => new Tally(store, name)))
  const count = numberOf('kills', 500) * onDisk.length
  const numbers = Array.from({ length: count }, (_, n) => n)
  await all(numbers, cpus().length + 1, async (n) => {
    const row = rows[n % rows.length]
    if (!row) return
    const round = Math.floor(n / rows.length) + seed
    const store = { store: row.store, script: row.name }
    const byEvent = { ...store, at: String(2 + ((round * 7) % 40)) }
    const byTime = { ...store, at: 'never', afterMs: (round * 13) % 120 }
    const of = round % 2 === 0 ? byEvent : byTime
    await row.add(of, async () => (await kill(of)).problems)
  })
  return rows.map((row) => row.row('killed'))
}

async function freezes(): Promise<Row[]> {
  const rows = onDisk.map((store) => new Tally(store, 'many calls'))
  const overtaken = new Map<string, number>()
  const numbers = Array.from({ length: numberOf('freezes', 200) * rows.length }, (_, n) => n)
  await all(numbers, 3 * cpus().length, async (n) => {
    const row = rows[n % rows.length]
    const of = { store: row?.store ?? '', afterMs: ((n + seed) * 17) % 90 }
    await row?.add(of, async () => {
      const frozen = await freeze(of)
      if (frozen.overtaken) overtaken.set(of.store, (overtaken.get(of.store) ?? 0) + 1)
      return frozen.problems
    })
  })
  return rows.map((row) => row.row(`frozen (${overtaken.get(row.store) ?? 0} overtaken)`))
}

/** Processes at once, each with a session of its own, in one home; then every session is opened again and looked at. */
async function writers(): Promise<Row[]> {
  const rows = onDisk.map((store) => new Tally(store, 'everything'))
  const count = numberOf('writers', 16)
  for (const row of rows) {
    if (count === 0) continue
    await row.add({ writers: count }, () =>
      inHome(async (home) => {
        const of = { store: row.store, script: row.name, at: 'never' }
        const writing = Array.from({ length: count }, (_, n) => once(playing(home, of, n), 'exit'))
        const codes = await Promise.all(writing)
        const { sessions, problems } = await survivors(row.store, home)
        const failed = codes.filter(([code]) => code !== 0).map(([code]) => `a writer ended with ${code}`)
        return [...failed, ...problems, ...(sessions === count ? [] : [`${sessions} sessions are there`])]
      }),
    )
  }
  return rows.map((row) => row.row(`${count} writers at once`))
}

/** The command as it is built, on the default store. */
async function headless(): Promise<Row[]> {
  const row = new Tally('jsonl', 'headless runs')
  const count = numberOf('writers', 16)
  if (count > 0 && onDisk.includes('jsonl')) await row.add({ runs: count }, () => together(count))
  return [row.row(`${count} at once in one directory`)]
}

class Tally {
  readonly store: string
  readonly name: string
  readonly #losses: string[] = []
  #tried = 0
  #resumed = 0

  constructor(store: string, name: string) {
    this.store = store
    this.name = name
  }

  async add(of: object, work: () => Promise<readonly string[]>): Promise<void> {
    const problems = await work().catch((error: unknown) => [String(error)])
    this.#tried++
    if (problems.length === 0) this.#resumed++
    for (const problem of problems) this.#losses.push(`${JSON.stringify(of)}: ${problem}`)
  }

  row(how: string): Row {
    const row = {
      store: this.store,
      script: `${this.name}, ${how}`,
      tried: this.#tried,
      resumed: this.#resumed,
      losses: this.#losses,
    }
    told(row)
    return row
  }
}

function told(row: Row | undefined): void {
  if (!row || row.tried === 0) return
  const cells = [
    row.store.padEnd(7),
    row.script.padEnd(32),
    String(row.tried).padStart(7),
    String(row.resumed).padStart(8),
  ]
  console.log(`${cells.join(' ')} ${String(row.losses.length).padStart(7)}`)
  for (const loss of row.losses.slice(0, 10)) console.log(`        ${loss}`)
}

console.log(`seed ${seed}\n${'store'.padEnd(7)} ${'script'.padEnd(32)}   tried  resumed  losses`)
const rows = [
  ...(await inProcess()),
  ...(await kills()),
  ...(await freezes()),
  ...(await writers()),
  ...(await headless()),
]
const sum = (of: (row: Row) => number): number => rows.reduce((total, row) => total + of(row), 0)
const total = {
  tried: sum((row) => row.tried),
  resumed: sum((row) => row.resumed),
  losses: sum((row) => row.losses.length),
}
console.log(`\n${total.tried} tried, ${total.resumed} resumed, ${total.losses} losses (seed ${seed})`)
process.exitCode = total.losses === 0 && total.tried === total.resumed ? 0 : 1
