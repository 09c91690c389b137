import type { NewHasher } from '@rein/session'
import { type CrashPoint, type CrashStore, type Tried, tryPoint } from './point.ts'
import { type CrashScript, crashScripts } from './scripts.ts'
import type { Stop } from './stopping-store.ts'

export interface CrashSuite {
  /** Of the store, for the titles. */
  readonly name: string
  /** A fresh, empty store and the world around it. */
  readonly make: () => Promise<CrashStore>
  readonly hasher: NewHasher
  /** Crash points a script. */
  readonly points: number
  /** Another seed is another sample of deaths; default 1. */
  readonly seed?: number
  /** The store writes a line whole or not at all, and each durably: it cannot tear one. */
  readonly wholeLines?: boolean
}

/** What came of one script on one store. */
export interface Crashed {
  readonly script: string
  readonly points: number
  /** Points at which everything that must hold did hold. */
  readonly resumed: number
  /** Everything that did not, each with its point. */
  readonly losses: readonly string[]
}

/**
 * What every store and the agent on it promise of a crash, as tests for any runner: `crashContract({ test, name, make,
 * hasher, points })`. Real agents are killed at every event and inside lines, opened again, killed while they are opened,
 * and go on to the end; then every call has one result, all input was heard once, nothing happened twice, and the log
 * proves every request.
 * @returns one entry a script, filled while the tests run.
 */
export function crashContract({
  test,
  ...suite
}: CrashSuite & { readonly test: (title: string, run: () => Promise<void>) => unknown }): readonly Crashed[] {
  const all: Crashed[] = []
  for (const script of crashScripts) {
    test(`${suite.name}: ${script.name}, killed at ${suite.points} places, loses nothing and does nothing twice`, async () => {
      const crashed = await crashScript(suite, script)
      all.push(crashed)
      if (crashed.losses.length > 0) throw new Error(crashed.losses.slice(0, 5).join('\n'))
    })
  }
  return all
}

/** One script at so many points; the first run goes to its end, unharmed, and tells where its lines end. */
export async function crashScript(suite: CrashSuite, script: CrashScript): Promise<Crashed> {
  const whole = await once(suite, { script, stops: [], death: 'killed', proved: false })
  const losses = whole.survived ? [...whole.problems] : ['it does not come to its end without a crash']
  const places = placesOf(whole.lineEnds, suite)
  const chance = chanceOf(suite.seed ?? 1, script.name)
  let points = 0
  let resumed = 0
  for (let n = 0; n < suite.points && losses.length < mostLosses && places.length > 0; n++) {
    const point = pointOf(suite, { script, place: places[n % places.length] ?? 0, chance })
    const { problems } = await once(suite, point)
    points++
    if (problems.length === 0) resumed++
    for (const problem of problems) losses.push(`${script.name} ${told(point)}: ${problem}`)
  }
  return { script: script.name, points, resumed, losses }
}

/** Losses of one script after which it is clear that something is wrong. */
const mostLosses = 10

async function once(suite: CrashSuite, point: CrashPoint): Promise<Tried> {
  const of = await suite.make()
  try {
    return await tryPoint(of, point, suite.hasher)
  } catch (error) {
    const told = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { survived: false, lineEnds: [], problems: [told] }
  } finally {
    await of.dispose()
  }
}

/**
 * Every end of a line, and the first byte, the middle and the last byte of each. With fewer points than places most are
 * ends, and either lie evenly among their like.
 */
function placesOf(ends: readonly number[], { points, wholeLines }: CrashSuite): readonly number[] {
  const inside = ends.flatMap((end, at) => {
    const begin = ends[at - 1] ?? 0
    const bytes = [begin + 1, Math.floor((begin + end) / 2), end - 1]
    return wholeLines === true ? [] : bytes.filter((byte) => byte > begin && byte < end)
  })
  const atEnds = inside.length === 0 ? points : Math.max(Math.ceil(points * 0.75), points - inside.length)
  return [...evenly(ends, atEnds), ...evenly(inside, points - atEnds)]
}

/** So many of a list, or all of it. */
const evenly = (all: readonly number[], count: number): readonly number[] =>
  count >= all.length
    ? all
    : all.filter((_, at) => Math.floor((at * count) / all.length) !== Math.floor(((at + 1) * count) / all.length))

/** A quarter of the points is a crash of the first process alone, the others are crashed again while they are opened. */
function pointOf(
  suite: CrashSuite,
  { script, place, chance }: { script: CrashScript; place: number; chance: () => number },
): CrashPoint {
  const stop = (bytes: number): Stop => ({
    bytes,
    after: chance() < 0.5 ? 'written' : 'synced',
    ...(suite.wholeLines && { wholeLines: true }),
  })
  const again = chance() < 0.75 ? [stop(Math.floor(chance() * 1200))] : []
  const third = again.length > 0 && chance() < 0.25 ? [stop(Math.floor(chance() * 1200))] : []
  const death = !suite.wholeLines && chance() < 0.4 ? 'power-loss' : 'killed'
  return { script, stops: [stop(place), ...again, ...third], death, proved: chance() < 0.5 }
}

const told = ({ stops, death, proved }: CrashPoint): string =>
  `${death}${proved ? '' : ', only silent,'} after ${stops.map(({ bytes, after }) => `${bytes} bytes ${after}`).join(', then ')}`

/** Numbers from 0 up to 1 that a seed and a name give again and again (mulberry32). */
function chanceOf(seed: number, name: string): () => number {
  let state = [...name].reduce((sum, letter) => Math.imul(sum ^ letter.charCodeAt(0), 0x01000193), seed)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
