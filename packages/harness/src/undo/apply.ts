import {
  chmodSync,
  closeSync,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  type Stats,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { errnoOf } from '../files/trouble.ts'
import { type ByteName, folderOf, pathOf, shown } from './byte-name.ts'
import type { Objects } from './objects.ts'
import { ownName } from './own-name.ts'
import { Place } from './place.ts'
import type { Action, LeftFile } from './plan.ts'
import { looksAs, type StatCache } from './stat-cache.ts'
import type { Entry } from './tree.ts'

export interface ApplyOptions {
  /** Absolute and real. */
  readonly root: ByteName
  readonly objects: Objects
  /** How files looked when the actions were planned; one that looks different now is left alone. */
  readonly cache: StatCache
}

export interface Applied {
  /** Relative paths that are now what they were. */
  readonly restored: readonly ByteName[]
  readonly left: readonly LeftFile[]
}

/** Why one path is left as it is. */
class Left extends Error {}

/**
 * Do what was planned: first everything away that is in the way, deepest first, then folders, then files. Each file
 * is replaced whole. Started again after it broke off, it does the rest.
 */
export function apply(actions: readonly Action[], options: ApplyOptions): Applied {
  const work = new Work(options)
  const away = actions.filter(({ from, to }) => from && from.kind !== to?.kind)
  for (const action of deepestFirst(away)) work.remove(action)
  const folders = actions.filter(({ to }) => to?.kind === 'folder')
  for (const action of folders) work.makeFolder(action)
  for (const action of actions.filter(({ to }) => to && to.kind !== 'folder')) work.write(action)
  // Last: a folder may be one that nothing can be put into.
  for (const action of deepestFirst(folders)) work.mode(action)
  return {
    restored: [...work.restored].sort(),
    left: [...work.left].map(([path, why]) => ({ path: shown(path), why })),
  }
}

const deepestFirst = (actions: readonly Action[]): readonly Action[] =>
  actions.toSorted((a, b) => b.path.split('/').length - a.path.split('/').length)

class Work {
  readonly restored = new Set<ByteName>()
  readonly left = new Map<ByteName, string>()
  readonly #options: ApplyOptions

  constructor(options: ApplyOptions) {
    this.#options = options
  }

  remove(action: Action): void {
    this.#try(action, (place, name) => {
      const { from, to } = action
      if (from?.kind === 'folder') removeFolder(place, name)
      else {
        this.#mustBe(place, name, action)
        // What takes its place is renamed over it.
        if (to?.kind === 'folder' || to === undefined) unlinkSync(place.at(name))
      }
      if (to === undefined) this.restored.add(action.path)
    })
  }

  makeFolder(action: Action): void {
    this.#try(action, (place, name) => {
      const now = entryAt(place, name)
      if (now && !now.isDirectory()) throw new Left('something else is in its place')
      if (!now) mkdirSync(place.at(name))
    })
  }

  mode(action: Action): void {
    this.#try(action, (place, name) => {
      if (action.to?.kind !== 'folder') return
      if (!entryAt(place, name)?.isDirectory()) throw new Left('it changed a moment ago')
      chmodSync(place.at(name), action.to.mode)
      this.restored.add(action.path)
    })
  }

  write(action: Action): void {
    this.#try(action, (place, name) => {
      const { from, to } = action
      if (!to) return
      if (from?.kind === 'folder' && entryAt(place, name)) throw new Left('the folder in its place is not empty')
      if (from?.kind === 'file' && to.kind === 'file' && from.hash === to.hash) {
        this.#mustBe(place, name, action)
        chmodSync(place.at(name), to.mode)
      } else {
        const temporary = place.at(`.rein-${ownName()}.tmp`)
        this.#make(temporary, to)
        try {
          if (from?.kind !== 'folder') this.#mustBe(place, name, action)
          renameSync(temporary, place.at(name))
        } catch (error) {
          unlinkSync(temporary)
          throw error
        }
      }
      this.restored.add(action.path)
    })
  }

  #make(temporary: Buffer, to: Entry): void {
    if (to.kind === 'link') {
      symlinkSync(pathOf(to.target), temporary)
      return
    }
    const bytes = to.kind === 'file' ? this.#options.objects.get(to.hash) : undefined
    if (!bytes || to.kind !== 'file') throw new Left('its content is not kept any more')
    const file = openSync(temporary, 'wx', 0o600)
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
      fchmodSync(file, to.mode)
    } catch (error) {
      unlinkSync(temporary)
      throw error
    } finally {
      closeSync(file)
    }
  }

  /** Whether what is there is still what was planned on. */
  #mustBe(place: Place, name: ByteName, { path, from }: Action): void {
    const now = entryAt(place, name)
    if (this.#isStill(now, { place, name, path, from })) return
    throw new Left('it changed a moment ago')
  }

  #isStill(
    now: Stats | undefined,
    { place, name, path, from }: { place: Place; name: ByteName; path: ByteName; from: Entry | undefined },
  ): boolean {
    if (!from || !now) return !from && !now
    if (from.kind === 'link')
      return now.isSymbolicLink() && readlinkSync(place.at(name), { encoding: 'latin1' }) === from.target
    const stamp = this.#options.cache.get(folderOf(path))?.get(name)
    return from.kind === 'file' && now.isFile() && stamp !== undefined && looksAs(stamp, now)
  }

  #try(action: Action, work: (place: Place, name: ByteName) => void): void {
    const { path } = action
    if (this.left.has(path)) return
    using place = Place.open(this.#options.root, folderOf(path))
    try {
      if (place) work(place, path.slice(path.lastIndexOf('/') + 1))
      else if (action.to) throw new Left('its folder is not there, or leads elsewhere')
    } catch (error) {
      const why = error instanceof Left ? error.message : errnoOf(error)
      if (why === undefined) throw error
      this.left.set(path, error instanceof Left ? why : `the operating system answered ${why}`)
    }
  }
}

const entryAt = (place: Place, name: ByteName): Stats | undefined =>
  lstatSync(place.at(name), { throwIfNoEntry: false })

/** What is in it that no snapshot has stays, and the folder with it. */
function removeFolder(place: Place, name: ByteName): void {
  try {
    rmdirSync(place.at(name))
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return
    if (errnoOf(error) === 'ENOTEMPTY' || errnoOf(error) === 'EEXIST') throw new Left('what is in it stays')
    throw error
  }
}
