import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeHasher } from '../../src/store/hasher.ts'
import { processHolder } from '../../src/store/jsonl/holder.ts'
import { openedAndChecked } from '../../src/testing/crash/point.ts'
import { Process } from '../../src/testing/crash/process.ts'
import { type Fact, World } from '../../src/testing/crash/world.ts'
import { textOf, value } from '../store/scratch.ts'
import { openStore } from './stores.ts'

const dying = fileURLToPath(new URL('./dying.ts', import.meta.url))

export interface Kill {
  readonly store: string
  readonly script: string
  /** Number of events, or the type of one, after which the process kills itself. */
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

/** Kill a real process in the middle of a script, and go on in this one with what it left. */
export async function kill(of: Kill): Promise<Killed> {
  const home = mkdtempSync(join(tmpdir(), 'rein-killed-'))
  try {
    const child = spawn(process.execPath, [dying, home, of.store, of.script, of.at], { stdio: ['ignore', 'ignore', 2] })
    const facts = join(home, 'facts')
    if (of.afterMs !== undefined) void killedAfter(child, facts, of.afterMs)
    const [code, signal] = await once(child, 'exit')
    if (signal !== 'SIGKILL' && code !== 0) throw new Error(`the process ended with ${code}`)
    return { killed: signal === 'SIGKILL', ...(await survivors(of, home, facts)) }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

async function killedAfter(child: ReturnType<typeof spawn>, facts: string, ms: number): Promise<void> {
  while (!existsSync(facts) && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 1))
  setTimeout(() => child.kill('SIGKILL'), ms)
}

type Told = Fact | { readonly kind: 'line'; readonly session: string; readonly seq: number; readonly line: string }

async function survivors(of: Kill, home: string, facts: string): Promise<Omit<Killed, 'killed'>> {
  const told = existsSync(facts) ? readFileSync(facts, 'utf8').split('\n').filter(Boolean) : []
  const world = new World({ callsFrom: 1000 })
  const safe = new Map<string, string[]>()
  for (const one of told) {
    const fact: Told = JSON.parse(one)
    if (fact.kind === 'effect' || fact.kind === 'posted') world.happened(fact)
    if (fact.kind !== 'line') continue
    const lines = safe.get(fact.session) ?? []
    while (lines.length < fact.seq) lines.push('')
    lines[fact.seq] = fact.line
    safe.set(fact.session, lines)
  }
  const store = openStore(of.store, home)
  const other = openStore(of.store, home)
  const process = new Process({ store, other, world, holder: processHolder(), hasher: nodeHasher, number: 1 })
  const problems: string[] = []
  const ids = (await store.list()).map(({ id }) => id)
  let unanswered = 0
  for (const id of ids) {
    const left = { store, world, hasher: nodeHasher, safe: safe.get(id) ?? [], torn: true }
    problems.push(...(await openedAndChecked(process, id, left)))
    unanswered += (await textOf(value(await store.read(id)))).split('"decision":"unanswered","by":"crash"').length - 1
  }
  await process.end()
  return { sessions: ids.length, unanswered, problems }
}
