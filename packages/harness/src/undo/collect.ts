import { readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errnoOf, unlessRefused } from '../files/trouble.ts'
import { type Holds, lives } from './hold.ts'
import { listed, type Objects, objectNames } from './objects.ts'
import { decodeTree } from './tree.ts'

/** What a collection took away. */
export interface Collected {
  readonly snapshots: number
  /** On disk. */
  readonly bytes: number
}

/** Least time between two collections, in milliseconds. */
const rarely = 3_600_000
/** A session's mark is as old as the session has been open: only its process tells whether it lives. */
const forever = Number.POSITIVE_INFINITY
/** Half-written files, marks and stat caches nobody came back for, in milliseconds. */
const forgotten = 30 * 24 * 3_600_000

interface Reference {
  readonly path: string
  readonly tree: string
  readonly at: number
  readonly open: boolean
}

/** Whether a collection is due; the time of the last one is that of a file. One in the future: a clock was set back. */
export function isDue(folder: string): boolean {
  const age = ageOf(join(folder, 'collected'))
  return age > rarely || age < -rarely
}

/**
 * Keep what the newest snapshots need, up to `keepBytes`, and all that open sessions need; remove the rest.
 * @returns undefined when somebody else uses the store: then another time.
 */
export function collect(
  { folder, objects, holds }: { folder: string; objects: Objects; holds: Holds },
  keepBytes: number,
): Collected | undefined {
  return holds.collect(() => {
    writeFileSync(join(folder, 'collected'), '', { mode: 0o600 })
    const sizes = new Map(objectNames(objects.folder).map((hash) => [hash, sizeOf(objectPath(objects, hash))]))
    const { kept, dropped } = choose(references(folder), { objects, sizes, keepBytes })
    // First of all: whoever writes next looks again at what there is, also when this ends in the middle.
    writeFileSync(join(folder, 'generation'), crypto.randomUUID(), { mode: 0o600 })
    for (const { path } of dropped) remove(path)
    let bytes = 0
    for (const [hash, size] of sizes) {
      if (kept.has(hash)) continue
      remove(objectPath(objects, hash))
      bytes += size
    }
    sweep(folder, objects)
    objects.forget()
    return { snapshots: dropped.length, bytes }
  })
}

/** Changes whenever objects may have gone, also with the whole folder. */
export function generation(folder: string): string {
  try {
    return readFileSync(join(folder, 'generation'), 'utf8')
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
    const fresh = crypto.randomUUID()
    writeFileSync(join(folder, 'generation'), fresh, { mode: 0o600 })
    return fresh
  }
}

function references(folder: string): readonly Reference[] {
  const active = new Set(
    listed(join(folder, 'open'))
      .filter((name) => lives(join(folder, 'open', name), forever))
      .map((name) => name.slice(0, name.lastIndexOf('.'))),
  )
  const all = listed(join(folder, 'refs')).flatMap((session) =>
    listed(join(folder, 'refs', session)).map((tree): Reference => {
      const path = join(folder, 'refs', session, tree)
      return { path, tree, at: timeOf(path), open: active.has(session) }
    }),
  )
  return all.sort((a, b) => Number(b.open) - Number(a.open) || b.at - a.at)
}

/** The first that does not fit any more goes, and all older ones with it. */
function choose(
  references: readonly Reference[],
  { objects, sizes, keepBytes }: { objects: Objects; sizes: ReadonlyMap<string, number>; keepBytes: number },
): { readonly kept: ReadonlySet<string>; readonly dropped: readonly Reference[] } {
  const kept = new Set<string>()
  let total = 0
  for (const [index, { tree, open }] of references.entries()) {
    const needs = reachable(tree, { objects, kept })
    const more = [...needs].reduce((sum, hash) => sum + (sizes.get(hash) ?? 0), 0)
    if (!open && total + more > keepBytes) return { kept, dropped: references.slice(index) }
    total += more
    for (const hash of needs) kept.add(hash)
  }
  return { kept, dropped: [] }
}

/** What a snapshot needs besides `kept`. What is not there any more is passed over. */
function reachable(root: string, { objects, kept }: { objects: Objects; kept: ReadonlySet<string> }): Set<string> {
  const found = new Set<string>()
  const todo = [root]
  for (let hash = todo.pop(); hash !== undefined; hash = todo.pop()) {
    if (kept.has(hash) || found.has(hash)) continue
    const bytes = objects.get(hash)
    if (!bytes) continue
    found.add(hash)
    for (const entry of decodeTree(bytes).values()) {
      if (entry.kind === 'folder') todo.push(entry.hash)
      if (entry.kind === 'file' && !kept.has(entry.hash)) found.add(entry.hash)
    }
  }
  return found
}

/** Empty folders of sessions, marks of dead processes, files that were never finished, and caches nobody uses. */
function sweep(folder: string, objects: Objects): void {
  for (const session of listed(join(folder, 'refs'))) removeEmpty(join(folder, 'refs', session))
  for (const name of listed(join(folder, 'open'))) {
    if (!lives(join(folder, 'open', name), forever)) remove(join(folder, 'open', name))
  }
  for (const name of listed(join(folder, 'caches'))) {
    if (ageOf(join(folder, 'caches', name)) > forgotten) remove(join(folder, 'caches', name))
  }
  for (const two of listed(objects.folder)) {
    // Nobody writes now: what is half written stays so.
    for (const name of listed(join(objects.folder, two)))
      if (name.startsWith('.')) remove(join(objects.folder, two, name))
  }
}

const objectPath = (objects: Objects, hash: string): string => join(objects.folder, hash.slice(0, 2), hash.slice(2))
const remove = (path: string): void => rmSync(path, { force: true })
const ageOf = (path: string): number => Date.now() - timeOf(path)
const timeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Folders that are not empty stay. */
const removeEmpty = (folder: string): void => unlessRefused(() => rmdirSync(folder), undefined)
