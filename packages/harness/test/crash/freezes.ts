import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { nodeHasher } from '../../src/store/hasher.ts'
import { processHolder } from '../../src/store/jsonl/holder.ts'
import { isBusy } from '../../src/store/sqlite/trouble.ts'
import { openedAndChecked } from '../../src/testing/crash/point.ts'
import { Process } from '../../src/testing/crash/process.ts'
import { textOf, value } from '../store/scratch.ts'
import { factsOf } from './facts.ts'
import { inHome, playing, survivors } from './kills.ts'
import { openStore } from './stores.ts'

/** After how long a silent holder may be taken over here, in milliseconds; a living one renews every second. */
const silentMs = 1500

export interface Frozen {
  /** False where the sleeper held the whole database in its sleep: nobody can take anything over from it. */
  readonly overtaken: boolean
  readonly problems: readonly string[]
}

/**
 * Freeze a real process in the middle of a turn, take its session over once it has been silent for long enough, go on
 * with it to the end, and wake the process: it must end with SESSION_TAKEN and 1, and nothing of it may be in the log.
 * Where it sleeps inside a transaction of SQLite it must come to its own end after it was woken, nothing lost.
 * @param of.afterMs how long after its first event it is frozen.
 */
export function freeze(of: { readonly store: string; readonly afterMs: number }): Promise<Frozen> {
  return inHome(async (home) => {
    const child = playing(home, { store: of.store, script: 'many calls', at: 'never' })
    const ended = once(child, 'exit')
    const wake = async (): Promise<number> => {
      child.kill('SIGCONT')
      const [code] = await ended
      return Number(code)
    }
    try {
      while (!existsSync(join(home, 'facts-0'))) await sleep(1)
      await sleep(of.afterMs)
      child.kill('SIGSTOP')
      await sleep(silentMs + 100)
      if (of.store !== 'sqlite' || !isLocked(join(home, 'sessions.sqlite')))
        return { overtaken: true, problems: await takenOver(of.store, home, wake) }
      const code = await wake()
      const { problems } = await survivors(of.store, home)
      return { overtaken: false, problems: code === 0 ? problems : [...problems, `woken up it ended with ${code}`] }
    } finally {
      child.kill('SIGKILL')
    }
  })
}

function isLocked(path: string): boolean {
  const db = new DatabaseSync(path, { timeout: 100 })
  try {
    db.exec('BEGIN IMMEDIATE; ROLLBACK')
    return false
  } catch (error) {
    if (isBusy(error)) return true
    throw error
  } finally {
    db.close()
  }
}

async function takenOver(name: string, home: string, wake: () => Promise<number>): Promise<readonly string[]> {
  const store = openStore(name, home, silentMs)
  const before = factsOf(join(home, 'facts-0'))
  if (before.told.some(({ kind }) => kind === 'over')) return ['it was not frozen before it came to its end']
  const other = openStore(name, home, silentMs)
  const { world } = before
  const effects = new Map(world.effects)
  const process = new Process({ store, other, world, holder: processHolder(), hasher: nodeHasher, number: 1 })
  const [id = ''] = (await store.list()).map((entry) => entry.id)
  const left = { store, world, hasher: nodeHasher, safe: before.safe.get(id) ?? [], torn: true }
  const problems = [...(await openedAndChecked(process, id, left))]
  const log = await textOf(value(await store.read(id)))
  const code = await wake()
  const after = factsOf(join(home, 'facts-0'))
  const over = after.told.find(({ kind }) => kind === 'over')
  if (code !== 1 || over?.kind !== 'over' || over.code !== 'SESSION_TAKEN')
    problems.push(`woken up it ended with ${code} and ${JSON.stringify(over)}`)
  if ((await textOf(value(await store.read(id)))) !== log) problems.push('the log changed after it was woken up')
  for (const [position, line] of (after.safe.get(id) ?? []).entries())
    if (line !== '' && log.split('\n')[position] !== line)
      problems.push(`line ${position} was acknowledged and is gone`)
  // What the sleeper did after it woke counts as much as what was done for it meanwhile.
  for (const [label, times] of after.world.effects) {
    const ours = (world.effects.get(label) ?? 0) - (effects.get(label) ?? 0)
    if (times + ours > 1) problems.push(`${label} happened ${times + ours} times`)
  }
  await process.end()
  return problems
}
