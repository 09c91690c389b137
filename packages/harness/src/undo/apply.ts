import { lstatSync, mkdirSync, readdirSync, readlinkSync, renameSync, rmdirSync, type Stats, unlinkSync } from 'node:fs'
import { contentHash } from '../files/hash.ts'
import { errnoOf, unlessRefused } from '../files/trouble.ts'
import { type ByteName, folderOf, joined, shown } from './byte-name.ts'
import { readSteady } from './content.ts'
import { isRunning } from './hold.ts'
import type { Objects } from './objects.ts'
import { isLeftBehind, temporaryName } from './own-name.ts'
import { Place } from './place.ts'
import type { Action, LeftFile } from './plan.ts'
import { appear, make, setMode } from './put.ts'
import type { Entry } from './tree.ts'

export interface ApplyOptions {
  /** Absolute and real. */
  readonly root: ByteName
  readonly objects: Objects
}

export interface Applied {
  /** Relative paths that are now what they were. */
  readonly restored: readonly ByteName[]
  readonly left: readonly LeftFile[]
}

/** Why one path is left as it is. */
class Left extends Error {}

const changed = 'it changed a moment ago'

/**
 * Do what was planned: first everything away that is in the way, deepest first, then folders, then files. Each file
 * is replaced whole, and none goes whose content is not kept. Started again after it broke off, it does the rest.
 */
export function apply(actions: readonly Action[], options: ApplyOptions): Applied {
  const work = new Work(options)
  work.clean(actions)
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

  /** What a restore that was killed had half written. */
  clean(actions: readonly Action[]): void {
    const inside = actions.flatMap(({ path, from }) => (from?.kind === 'folder' ? [path] : []))
    for (const folder of new Set([...actions.map(({ path }) => folderOf(path)), ...inside])) {
      using place = Place.open(this.#options.root, folder)
      if (place) removeLeftBehind(place)
    }
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
      const { to } = action
      const now = entryAt(place, name)
      if (now && !now.isDirectory()) throw new Left('something else is in its place')
      if (now || to?.kind !== 'folder') return
      // Never open to more than it was, not for a moment; and already as it was, should this break off.
      const mode = to.mode | 0o700
      mkdirSync(place.at(name), mode & 0o1777)
      setMode(place.at(name), mode)
    })
  }

  mode(action: Action): void {
    this.#try(action, (place, name) => {
      if (action.to?.kind !== 'folder') return
      if (!entryAt(place, name)?.isDirectory()) throw new Left(changed)
      setMode(place.at(name), action.to.mode)
      this.restored.add(action.path)
    })
  }

  write(action: Action): void {
    this.#try(action, (place, name) => {
      const { from, to } = action
      if (!to) return
      if (from?.kind === 'folder' && entryAt(place, name)) throw new Left('the folder in its place is not empty')
      const now = from?.kind === 'folder' ? undefined : this.#mustBe(place, name, action)
      const same = from?.kind === 'file' && to.kind === 'file' && from.hash === to.hash
      // The mode of one that has other names would be theirs too.
      if (same && now?.nlink === 1) setMode(place.at(name), to.mode)
      else this.#put(to, { place, name, action, now })
      this.restored.add(action.path)
    })
  }

  #put(to: Entry, at: { place: Place; name: ByteName; action: Action; now: Stats | undefined }): void {
    const { place, name, action, now } = at
    const bytes = to.kind === 'file' ? this.#options.objects.get(to.hash) : undefined
    if (to.kind === 'file' && !bytes) throw new Left('its content is not kept any more')
    const temporary = place.at(temporaryName())
    make(temporary, { to, bytes, like: now })
    try {
      if (now) {
        this.#mustBe(place, name, action)
        renameSync(temporary, place.at(name))
      } else if (!appear(temporary, place.at(name))) throw new Left(changed)
    } catch (error) {
      unlinkSync(temporary)
      throw error
    }
  }

  /** Whether what is there is still what was planned on; and see to it that it can be brought back. */
  #mustBe(place: Place, name: ByteName, { path, from }: Action): Stats | undefined {
    const now = entryAt(place, name)
    if (!from && !now) return undefined
    if (!from || !now) throw new Left(changed)
    if (from.kind === 'link') {
      const still = now.isSymbolicLink() && readlinkSync(place.at(name), { encoding: 'latin1' }) === from.target
      if (!still) throw new Left(changed)
      return now
    }
    if (from.kind !== 'file') throw new Left(changed)
    const at = place.at(name).toString('latin1')
    const content = readSteady(at, from.size, joined(this.#options.root, path))
    if (typeof content === 'string' || contentHash(content.bytes) !== from.hash) throw new Left(changed)
    if ((content.stats.mode & 0o777) !== from.mode) throw new Left(changed)
    // Somebody may have emptied or damaged the store since.
    if (!this.#options.objects.get(from.hash)) this.#options.objects.put(from.hash, content.bytes)
    return content.stats
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

function removeLeftBehind(place: Place): void {
  const names = unlessRefused(() => readdirSync(place.at('.'), { encoding: 'latin1' }), [])
  for (const name of names)
    if (isLeftBehind(name, isRunning)) unlessRefused(() => unlinkSync(place.at(name)), undefined)
}

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
