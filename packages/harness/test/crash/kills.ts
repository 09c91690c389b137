import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeHasher } from '../../src/store/hasher.ts'
import { processHolder } from '../../src/store/jsonl/holder.ts'
import { openedAndChecked } from '../../src/testing/crash/point.ts'
import { Process } from '../../src/testing/crash/process.ts'
import { World } from '../../src/testing/crash/world.ts'
import { textOf, value } from '../store/scratch.ts'
import { factsIn } from './facts.ts'
import { openStore } from './stores.ts'

const dying = fileURLToPath(new URL('./dying.ts', import.meta.url))

export interface Kill {
  readonly store: string
  readonly script: string
  /** Number of events, or the type of one, after which the process kills itself; `never`. */
  readonly at: string
  /** Milliseconds after its first event at which it is killed from outside, wherever it stands. */
  readonly afterMs?: number
}

export interface Killed {
  /** Whether it was killed before it came to its end. */
  readonly killed: boolean
  readonly sessions: number
  /** Approvals that nobody had answered. */
  readonly unanswered: number
  readonly problems: readonly string[]
}

/** A real process that plays a script in this home. */
export const playing = (home: string, { store, script, at }: Kill, number = 0): ChildProcess =>
  spawn(process.execPath, [dying, home, store, script, at, String(number)], { stdio: ['ignore', 'ignore', 2] })

/** Work in a home of its own. */
export async function inHome<T>(work: (home: string) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'rein-killed-'))
  try {
    return await work(home)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** Kill a real process in the middle of a script, and go on in this one with what it left. */
export function kill(of: Kill): Promise<Killed> {
  return inHome(async (home) => {
    const child = playing(home, of)
    if (of.afterMs !== undefined) void killedAfter(child, join(home, 'facts-0'), of.afterMs)
    const [code, signal] = await once(child, 'exit')
    if (signal !== 'SIGKILL' && code !== 0) throw new Error(`the process ended with ${code}`)
    return { killed: signal === 'SIGKILL', ...(await survivors(of.store, home)) }
  })
}

async function killedAfter(child: ChildProcess, facts: string, ms: number): Promise<void> {
  while (!existsSync(facts) && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 1))
  setTimeout(() => child.kill('SIGKILL'), ms)
}

/** Every session of a home, opened and gone on with in this process, each in the world of the process that kept it. */
export async function survivors(name: string, home: string): Promise<Omit<Killed, 'killed'>> {
  const store = openStore(name, home)
  const ids = (await store.list()).map(({ id }) => id)
  const all = factsIn(home)
  const problems: string[] = []
  let unanswered = 0
  for (const [number, id] of ids.entries()) {
    const { world, safe } = all.find((facts) => facts.safe.has(id)) ?? all[0] ?? { world: new World(), safe: new Map() }
    const surroundings = { store, other: openStore(name, home), world, holder: processHolder(), hasher: nodeHasher }
    const process = new Process({ ...surroundings, number: 100 + number })
    const left = { store, world, hasher: nodeHasher, safe: safe.get(id) ?? [], torn: true }
    problems.push(...(await openedAndChecked(process, id, left)))
    await process.end()
    unanswered += (await textOf(value(await store.read(id)))).split('"decision":"unanswered","by":"crash"').length - 1
  }
  return { sessions: ids.length, unanswered, problems }
}
