import { mkdirSync, readFileSync, realpathSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Failure } from '@rein/session'
import { contentHash } from '../files/hash.ts'
import { errnoOf, unlessRefused } from '../files/trouble.ts'
import { apply } from './apply.ts'
import { type ByteName, byteName, pathOf, shown } from './byte-name.ts'
import { type Collected, collect, generation, isDue } from './collect.ts'
import { TreeGone, Trees } from './difference.ts'
import { Holds } from './hold.ts'
import type { Job, JobResult, MomentsBack, Place, Planned, Restored, Taken, UndoThread, Unseen } from './job.ts'
import { Objects } from './objects.ts'
import { type Action, type Actions, type LeftFile, planned, plannedFile, reasonOf } from './plan.ts'
import { type Scanned, type Skipped, Stopped, scan, Unreadable } from './scan.ts'
import { readCache, type StatCache, writeCache } from './stat-cache.ts'

/** How many skipped paths an event names. */
const named = 20
/** Of a session or a tree: nothing that leads elsewhere. */
const plainName = /^[A-Za-z0-9_-]{1,128}$/

/** All that the thread of its own does, one job after the other, synchronously. */
export class Workspaces {
  readonly #thread: UndoThread
  readonly #objects: Objects
  readonly #holds: Holds
  readonly #caches = new Map<string, StatCache>()
  readonly #open = new Set<string>()
  readonly #stop: Int32Array
  #generation: string | undefined

  constructor(thread: UndoThread) {
    this.#thread = thread
    this.#objects = new Objects(join(thread.folder, 'objects'))
    this.#holds = new Holds(thread.folder)
    this.#stop = new Int32Array(thread.stop)
  }

  /** Expected trouble is a value. */
  run(job: Job): JobResult {
    try {
      if (job.kind === 'collect') return { kind: 'collected', collected: this.#collect() }
      mkdirSync(this.#thread.folder, { recursive: true, mode: 0o700 })
      return this.#holds.write(() => this.#write(job)) ?? failed('The store of snapshots was being cleaned up.')
    } catch (error) {
      if (error instanceof Stopped) return { kind: 'stopped' }
      if (error instanceof Unreadable) return failed(error.message)
      if (error instanceof TreeGone) return { kind: 'failed', failure: gone }
      if (errnoOf(error) === undefined) throw error
      return failed(error instanceof Error ? error.message : String(error))
    }
  }

  #write(job: Exclude<Job, { kind: 'collect' }>): JobResult {
    const now = generation(this.#thread.folder)
    if (this.#generation !== now) {
      this.#objects.forget()
      this.#open.clear()
    }
    this.#generation = now
    switch (job.kind) {
      case 'take':
        return { kind: 'taken', taken: this.#take(job.place) }
      case 'plan':
        return { kind: 'planned', planned: this.#plan(job.place, job.history) }
      case 'restore':
        return { kind: 'restored', restored: this.#restore(job) }
    }
  }

  #take(place: Place): Taken {
    const scanned = this.#scan(place)
    this.#refer(place, scanned.tree)
    return { id: scanned.tree, files: scanned.files, bytes: scanned.bytes, skipped: told(scanned.skipped) }
  }

  #plan(place: Place, history: MomentsBack): Planned {
    const { tree, skipped } = this.#scan(place, true)
    const { actions, left } = this.#actions(place, history, tree)
    const inTheWay = repositories(skipped, actions)
    const all = [...left, ...inTheWay.map(({ path, why }) => ({ path: shown(path), why: reasonOf(why) }))]
    return { files: actions.map(plannedFile), left: all, unseen: unseen(skipped, all) }
  }

  #restore({ place, history, now, overwrite }: Extract<Job, { kind: 'restore' }>): Restored {
    const { actions, left } = this.#actions(place, history, now)
    const chosen = actions.filter(({ path, by }) => by === 'session' || isChosen(overwrite, path))
    const applied = apply(chosen, { root: realRoot(place.root), objects: this.#objects })
    return { paths: applied.restored.map(shown), left: [...left, ...applied.left] }
  }

  #actions(place: Place, { first, later, since }: MomentsBack, tree: string): Actions {
    for (const id of [first, ...later.map((one) => one.tree)]) if (!this.#isOwn(place, id)) throw new TreeGone(id)
    const objects = this.#objects
    return planned({ first, later, current: { tree, by: since } }, { trees: new Trees(objects), objects })
  }

  #scan(place: Place, look = false): Scanned {
    const { limits, hidden, folder } = this.#thread
    const file = join(folder, 'caches', `${contentHash(Buffer.from(place.root))}.json`)
    const scanned = scan({
      root: realRoot(place.root),
      limits,
      hidden: new Set(hidden.flatMap((path) => [byteName(path), unlessRefused(() => realRoot(path), byteName(path))])),
      cache: this.#caches.get(place.root) ?? readCache(file),
      objects: this.#objects,
      look,
      stopped: () => Atomics.load(this.#stop, 0) !== 0,
      now: Date.now,
    })
    this.#caches.set(place.root, scanned.cache)
    if (scanned.changed && !look) writeCache(file, scanned.cache)
    return scanned
  }

  /**
   * Whether this session, or one it was forked from, made that snapshot of this folder. A log somebody sent could name
   * any tree that is kept, another project's for example.
   */
  #isOwn({ session, parents = [], root }: Place, tree: string): boolean {
    const own = folderMark(root)
    return [session, ...parents].some((id) => {
      if (!plainName.test(id) || !plainName.test(tree)) return false
      return unlessRefused(() => readFileSync(join(this.#thread.folder, 'refs', id, tree), 'utf8'), undefined) === own
    })
  }

  /** One that is there already becomes the newest again. It holds which folder it is of. */
  #refer({ session, root }: Place, tree: string): void {
    const { folder } = this.#thread
    const references = join(folder, 'refs', session)
    mkdirSync(references, { recursive: true, mode: 0o700 })
    const path = join(references, tree)
    writeFileSync(path, folderMark(root), { mode: 0o600 })
    const now = Date.now() / 1000
    utimesSync(path, now, now)
    if (this.#open.has(session)) return
    mkdirSync(join(folder, 'open'), { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, 'open', `${session}.${process.pid}`), String(process.pid), { mode: 0o600 })
    this.#open.add(session)
  }

  #collect(): Collected | undefined {
    const { folder, limits } = this.#thread
    if (!isDue(folder)) return undefined
    return collect({ folder, objects: this.#objects, holds: this.#holds }, limits.keepBytes)
  }
}

const isChosen = (overwrite: boolean | readonly string[], path: ByteName): boolean =>
  typeof overwrite === 'boolean' ? overwrite : overwrite.some((chosen) => chosen.replace(/\/$/, '') === shown(path))

/** Of the folder itself: a link that leads to another one since makes it another workspace. */
const folderMark = (root: string): string => contentHash(pathOf(realRoot(root)))

const realRoot = (root: string): ByteName => realpathSync.native(root, { encoding: 'latin1' })

/** What a person would miss first: what was left out for its size or its kind, then what can be made again. */
function told(skipped: readonly Skipped[]): readonly string[] {
  const said = byLoss(skipped)
    .slice(0, named)
    .map(({ path, why }) => `${shown(path)}: ${reasonOf(why)}`)
  return skipped.length > named ? [...said, `and ${skipped.length - named} more`] : said
}

const byLoss = (skipped: readonly Skipped[]): readonly Skipped[] =>
  skipped.toSorted((a, b) => Number(isExpected(a)) - Number(isExpected(b)))

const isExpected = ({ why }: Skipped): boolean => why === 'rebuilt' || why === 'git'

function unseen(skipped: readonly Skipped[], left: readonly LeftFile[]): Unseen {
  const known = new Set(left.map(({ path }) => path))
  const paths = byLoss(skipped).flatMap(({ path }) => (known.has(shown(path)) ? [] : [shown(path)]))
  return { paths: paths.slice(0, named), more: Math.max(0, paths.length - named) }
}

/** What git keeps in folders that are to go: it is in no tree, and keeps them. */
function repositories(skipped: readonly Skipped[], actions: readonly Action[]): readonly Skipped[] {
  const going = actions.flatMap(({ path, from, to }) =>
    from?.kind === 'folder' && to?.kind !== 'folder' ? [`${path}/`] : [],
  )
  return skipped.filter(({ path, why }) => why === 'git' && going.some((folder) => path.startsWith(folder)))
}

const failed = (why: string): JobResult => ({ kind: 'failed', failure: { code: 'FILE_ERROR', message: why } })

const gone: Failure = {
  code: 'NOT_FOUND',
  message: 'The snapshot is not kept any more.',
  next: 'How much is kept is `plugins.snapshots.config.keepBytes`.',
}
