import { FailureError, fold, inbox, type NewHasher, type Store, type StoreUnderTest } from '@rein/session'
import { type CrashAgent, Process } from './process.ts'
import type { CrashScript } from './scripts.ts'
import { type Death, type Stop, StoppingStore } from './stopping-store.ts'
import { type Expected, problemsAtTheEnd, problemsOnOpening } from './survived.ts'
import { World } from './world.ts'

/** What the suite needs of a store: part of what its contract suite needs. */
export interface CrashStore
  extends Pick<StoreUnderTest, 'store' | 'other' | 'holder' | 'silence' | 'cutLog' | 'dispose'> {
  /** A holder that can be proved dead, number by number, where the store can tell: it is then written in place. */
  dead?(number: number): ReturnType<StoreUnderTest['holder']>
}

export interface CrashPoint {
  readonly script: CrashScript
  /** Where each process of the run dies but the last, in bytes of log it writes. */
  readonly stops: readonly Stop[]
  readonly death: Death
  /** Whether the dead are known to be dead, rather than only silent. */
  readonly proved: boolean
}

export interface Tried {
  /** The script came to its end before its process was to die. */
  readonly survived: boolean
  /** Where each line of the first process ended, in bytes. */
  readonly lineEnds: readonly number[]
  /** Empty: nothing was lost, doubled or left open. */
  readonly problems: readonly string[]
}

/** Run a script until it dies, open what is left, die there again as often as asked, and go on to the end. */
export async function tryPoint(of: CrashStore, point: CrashPoint, hasher: NewHasher): Promise<Tried> {
  const run = new Run(of, point, hasher)
  try {
    return await run.all()
  } finally {
    await run.bury()
  }
}

class Run {
  readonly #of: CrashStore
  readonly #point: CrashPoint
  readonly #hasher: NewHasher
  readonly #world: World
  readonly #stores: StoppingStore[] = []
  /** Lines that were safe when a process died, by session. */
  readonly #safe = new Map<string, readonly string[]>()
  #torn = false

  constructor(of: CrashStore, point: CrashPoint, hasher: NewHasher) {
    this.#of = of
    this.#point = point
    this.#hasher = hasher
    this.#world = new World({ faults: point.script.faults ?? [] })
  }

  async all(): Promise<Tried> {
    const { script, stops } = this.#point
    const [first = endless, ...others] = stops
    const survived = await this.#process(first, (process) => script.play(process))
    for (const stop of others) await this.#process(stop, (process) => this.#goOn(process))
    const problems: string[] = []
    await this.#process(endless, async (process, store) => {
      for (const id of await this.#sessions())
        problems.push(...(await openedAndChecked(process, id, this.#left(store, id))))
    })
    return { survived, lineEnds: this.#stores[0]?.lineEnds ?? [], problems }
  }

  async bury(): Promise<void> {
    for (const store of this.#stores) await store.bury()
  }

  /** @returns whether the work was done before the process died. */
  async #process(stop: Stop, work: (process: Process, store: Store) => Promise<void>): Promise<boolean> {
    const number = this.#stores.length
    const { store: inner, other, dead, holder } = this.#of
    const store = new StoppingStore(number === 0 ? inner : other, stop)
    this.#stores.push(store)
    const as = this.#point.proved && dead ? dead(number) : holder(number + 1)
    const process = new Process({
      store,
      other: number === 0 ? other : inner,
      world: this.#world,
      holder: as,
      hasher: this.#hasher,
      number,
    })
    const done = work(process, store).then(
      () => true,
      (error: unknown) => {
        if (error instanceof FailureError && store.dead) return false
        throw error
      },
    )
    const survived = await Promise.race([done, store.stopped.then(() => false)])
    store.die()
    await process.end()
    await done
    await this.#leave(store)
    return survived
  }

  /** What the dead process leaves on the disk. */
  async #leave(store: StoppingStore): Promise<void> {
    const { death, proved } = this.#point
    for (const [id, written] of store.written) {
      const lost = written.lost(death)
      if (lost > 0) await this.#of.cutLog(id, lost)
      // A log with nothing in it looks like one that lost everything, and says so.
      this.#torn ||= (written.torn !== undefined && death === 'killed') || written.safe(death).length === 0
      const before = this.#safe.get(id) ?? []
      this.#safe.set(id, merged(before, written.safe(death)))
      if (!(proved && this.#of.dead)) await this.#of.silence(id)
    }
  }

  #left(store: Store, id: string) {
    return { store, world: this.#world, hasher: this.#hasher, safe: this.#safe.get(id) ?? [], torn: this.#torn }
  }

  async #sessions(): Promise<readonly string[]> {
    return (await this.#of.other.list()).map(({ id }) => id).toSorted()
  }

  async #goOn(process: Process): Promise<void> {
    for (const id of await this.#sessions()) await carriedOn(await process.open({ kind: 'resume', id }))
  }
}

/** Open a session that a crash left, go on with it to the end, and look at all of it. */
export async function openedAndChecked(
  process: Process,
  id: string,
  of: {
    readonly store: Store
    readonly world: World
    readonly hasher: NewHasher
    /** What `Expected` says of lines. */
    readonly safe: readonly string[]
    /** Whether the log may declare damage. */
    readonly torn: boolean
  },
): Promise<readonly string[]> {
  const agent = await process.open({ kind: 'resume', id })
  const { session } = agent.agent
  const known = fold(inbox, session.log.events).known
  const posted = (await session.lease.posted()).filter((item) => !known.has(item.id))
  const expected: Expected = { ...of, posted: new Set(posted.map((item) => item.id)) }
  const problems = problemsOnOpening(session, await linesOf(of.store, id), expected)
  await carriedOn(agent)
  return [...problems, ...(await problemsAtTheEnd(agent, of))].map((problem) => `${id}: ${problem}`)
}

/** What waited runs, and then whatever is said next. */
async function carriedOn(agent: CrashAgent): Promise<void> {
  await agent.agent.drain()
  agent.agent.wake()
  await agent.agent.whenIdle()
  await agent.say('Carry on.')
}

const endless: Stop = { bytes: Number.POSITIVE_INFINITY, after: 'synced' }

/** Lines known to be safe of two processes, the later one having written after the earlier. */
const merged = (before: readonly string[], after: readonly string[]): readonly string[] =>
  Array.from({ length: Math.max(before.length, after.length) }, (_, at) => before[at] || after[at] || '')

async function linesOf(store: Store, id: string): Promise<readonly string[]> {
  const read = await store.read(id)
  if (!read.ok) throw new FailureError(read.failure)
  const decoder = new TextDecoder()
  let text = ''
  for await (const block of read.value) text += decoder.decode(block, { stream: true })
  return (text + decoder.decode()).split('\n')
}
