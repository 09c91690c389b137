import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SessionEntry, Store } from '@rein/session'
import { codeOf } from './disk-failure.ts'

const dayMs = 86_400_000
/** Looks are at least so far apart. */
const leastApart = 20 * 3_600_000

/** What the last look found, kept in `$REIN_HOME/retention.json`. */
export interface Look {
  /** Milliseconds since 1970, by the clock of that moment. */
  readonly at: number
  /** Sessions that were old then, and when each had changed. */
  readonly old: { readonly [id: string]: number }
}

/**
 * Whether it is time to look: a day later, when the clock went back, or when the settings changed since; where nobody
 * looked before, when any settings name days at all. Costs a few looks at files, and nothing is loaded for it.
 */
export function isLookDue(of: { readonly home: string; readonly cwd: string; readonly now: number }): boolean {
  const { home, cwd, now } = of
  const last = changedAt(join(home, 'retention.json'))
  const settings = changedAt(join(home, 'rein.yaml')) ?? 0
  if (last === undefined) return namesDays(home, cwd)
  return now - last >= leastApart || last > now || settings > last
}

/** Whether `sessions.keep.days` may be set: the word stands in settings of the user, or of a folder the project may be. */
function namesDays(home: string, cwd: string): boolean {
  if (has(join(home, 'rein.yaml'), 'days')) return true
  for (let folder = cwd; ; folder = dirname(folder)) {
    for (const name of ['rein.yaml', 'rein.local.yaml']) if (has(join(folder, '.rein', name), 'days')) return true
    if (folder === dirname(folder)) return false
  }
}

function has(path: string, word: string): boolean {
  try {
    return readFileSync(path, 'utf8').includes(word)
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return false
  }
}

const changedAt = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.mtimeMs

/**
 * What is to be put away now, and what to remember until the next look. A clock can be wrong, so one look never moves
 * anything: a session goes when two looks, a day apart by the same clock, both found it older than `days`, and it did
 * not change between them. Held and broken sessions stay.
 */
export function oldSessions(
  entries: readonly SessionEntry[],
  of: { readonly days: number; readonly now: number; readonly last: Look | undefined },
): { readonly move: readonly string[]; readonly look: Look } {
  const { days, now, last } = of
  const old = entries.filter(({ state, changed }) => state === 'free' && now - changed > days * dayMs)
  const apart = last !== undefined && now - last.at >= leastApart
  // Of a look that was just now the time counts on; of one that lies ahead nothing does.
  const before = last !== undefined && last.at <= now ? last : undefined
  const move = apart ? old.filter(({ id, changed }) => before?.old[id] === changed).map(({ id }) => id) : []
  const moved = new Set(move)
  const left = old.filter(({ id }) => !moved.has(id))
  const seen = apart || !before ? left : left.filter(({ id, changed }) => before.old[id] === changed)
  const at = apart || !before ? now : before.at
  return { move, look: { at, old: Object.fromEntries(seen.map(({ id, changed }) => [id, changed])) } }
}

/**
 * Put sessions away that did not change for so many days. Nothing is deleted: they are in the trash, which only a
 * command empties.
 * @param days undefined: none goes, and what earlier looks found is forgotten.
 * @returns the ids that were moved; those that somebody took meanwhile stay.
 */
export async function putOldAway(
  store: Pick<Store, 'list' | 'trash'>,
  of: { readonly home: string; readonly days: number | undefined; readonly now: number },
): Promise<readonly string[]> {
  const { home, days, now } = of
  const path = join(home, 'retention.json')
  if (days === undefined) {
    forget(path)
    return []
  }
  const { move, look } = oldSessions(await store.list(), { days, now, last: lastLook(path) })
  remember(path, look)
  const moved: string[] = []
  for (const id of move) if ((await store.trash(id)).ok) moved.push(id)
  return moved
}

/** @returns undefined when there was none, or nothing can be made of it: then everything is seen for the first time. */
function lastLook(path: string): Look | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof value !== 'object' || value === null || !('at' in value) || !('old' in value)) return undefined
    const { at, old } = value
    if (typeof at !== 'number' || typeof old !== 'object' || old === null) return undefined
    return { at, old: Object.fromEntries(Object.entries(old).filter(([, changed]) => typeof changed === 'number')) }
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) !== undefined) return undefined
    throw error
  }
}

function forget(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch (error) {
    // It cannot be written either then, so what it says grows no older than it is.
    if (codeOf(error) === undefined) throw error
  }
}

function remember(path: string, look: Look): void {
  try {
    const made = `${path}.${process.pid}`
    writeFileSync(made, JSON.stringify(look), { mode: 0o600 })
    renameSync(made, path)
  } catch (error) {
    // A home that takes nothing is looked at again the next time, and nothing of it was ever seen as old.
    if (codeOf(error) === undefined) throw error
  }
}
