import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Fact, World } from '../../src/testing/crash/world.ts'

/** What a process that may be dead kept of what it did and was told. */
export type Told =
  | Fact
  /** This line is written. */
  | { readonly kind: 'line'; readonly session: string; readonly seq: number; readonly line: string }
  /** It came to its end, or lost its session with this code. */
  | { readonly kind: 'over'; readonly code?: string }

/** What one process kept: the world as it left it, and by session the lines it was told are safe. */
export interface Facts {
  readonly world: World
  readonly safe: ReadonlyMap<string, readonly string[]>
  readonly told: readonly Told[]
}

/** Of every process of a home. */
export function factsIn(home: string): readonly Facts[] {
  const names = readdirSync(home).filter((name) => name.startsWith('facts-'))
  return names.map((name) => factsOf(join(home, name)))
}

/** Of the process that kept them there; a process that is killed before it could keep any did nothing. */
export function factsOf(path: string): Facts {
  const told = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []
  const facts = told.map((line): Told => JSON.parse(line))
  const world = new World({ callsFrom: 1000 })
  const safe = new Map<string, string[]>()
  for (const fact of facts) {
    if (fact.kind === 'effect' || fact.kind === 'posted') world.happened(fact)
    if (fact.kind !== 'line') continue
    const lines = safe.get(fact.session) ?? []
    while (lines.length < fact.seq) lines.push('')
    lines[fact.seq] = fact.line
    safe.set(fact.session, lines)
  }
  return { world, safe, told: facts }
}
