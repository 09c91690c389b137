import { lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs'
import { contentHash } from '../files/hash.ts'
import { errnoOf, unlessRefused } from '../files/trouble.ts'
import { type ByteName, byteName, joined, pathOf } from './byte-name.ts'
import { readSteady } from './content.ts'
import type { SnapshotLimits } from './limits.ts'
import type { Objects } from './objects.ts'
import { isOwnName } from './own-name.ts'
import { known, type Stamp, type StatCache, stampOf } from './stat-cache.ts'
import { type Entry, encodeTree, type SkipReason } from './tree.ts'

export interface ScanOptions {
  /** Absolute and real. */
  readonly root: ByteName
  readonly limits: SnapshotLimits
  /** Absolute paths that are never looked into. */
  readonly hidden: ReadonlySet<ByteName>
  /** What was known before; replaced by `Scanned.cache`. */
  readonly cache: StatCache
  /** Where contents go that are not kept yet. Trees always go there: without them nothing can be compared. */
  readonly objects: Objects
  /** Only look: contents of files are not kept. */
  readonly look?: boolean
  /** Asked between two files. */
  readonly stopped: () => boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export interface Skipped {
  readonly path: ByteName
  readonly why: SkipReason
}

/** A workspace as it was. */
export interface Scanned {
  /** Name of the tree of its root. */
  readonly tree: string
  readonly files: number
  readonly bytes: number
  readonly skipped: readonly Skipped[]
  readonly cache: StatCache
  /** Something was learned that the cache before did not say. */
  readonly changed: boolean
}

/** The workspace itself. */
export class Unreadable extends Error {}

/** Another process asked for an end. */
export class Stopped extends Error {}

/** A name in a folder, and what is known of the folder's files: now, and from before. */
interface Looked {
  readonly name: ByteName
  readonly stamps: Map<ByteName, Stamp>
  readonly before: ReadonlyMap<ByteName, Stamp> | undefined
}

/** Folders that say of themselves that they can be made again (the Cache Directory Tagging Specification). */
const cacheTag = byteName('CACHEDIR.TAG')
const cacheSignature = 'Signature: 8a477f597d28d172789f06886806bc55'

/** One look at a whole workspace, synchronous. @throws Stopped when it was told to stop. */
export function scan(options: ScanOptions): Scanned {
  return new Scan(options).run()
}

class Scan {
  readonly #options: ScanOptions
  readonly #ignored: ReadonlySet<ByteName>
  readonly #cache: StatCache = new Map()
  readonly #skipped: Skipped[] = []
  #files = 0
  #bytes = 0
  #changed = false

  constructor(options: ScanOptions) {
    this.#options = options
    this.#ignored = new Set(options.limits.ignore.map(byteName))
  }

  run(): Scanned {
    const entry = this.#folder('')
    if (entry === undefined) throw new Unreadable('The workspace cannot be read.')
    const changed = this.#changed || this.#cache.size !== this.#options.cache.size
    return {
      tree: entry,
      files: this.#files,
      bytes: this.#bytes,
      skipped: this.#skipped,
      cache: this.#cache,
      changed,
    }
  }

  /** @returns the name of the folder's tree; undefined when it cannot be read. */
  #folder(path: ByteName): string | undefined {
    const names = this.#names(path)
    if (names === undefined) return undefined
    const entries = new Map<ByteName, Entry>()
    const before = this.#options.cache.get(path)
    const stamps = new Map<ByteName, Stamp>()
    for (const name of names) {
      if (this.#options.stopped()) throw new Stopped()
      const entry = this.#entry(joined(path, name), { name, stamps, before })
      if (entry) entries.set(name, entry)
    }
    if (stamps.size > 0) this.#cache.set(path, stamps)
    if (before && before.size !== stamps.size) this.#changed = true
    const bytes = encodeTree(entries)
    const hash = contentHash(bytes)
    this.#options.objects.put(hash, bytes)
    return hash
  }

  #names(path: ByteName): readonly ByteName[] | undefined {
    return unlessRefused(() => readdirSync(pathOf(this.#at(path)), { encoding: 'latin1' }).sort(), undefined)
  }

  #at(path: ByteName): ByteName {
    return joined(this.#options.root, path)
  }

  #entry(path: ByteName, at: Looked): Entry | undefined {
    if (at.name === '.git') {
      // In no tree: where a repository is made or goes nothing of ours changes.
      this.#skipped.push({ path, why: 'git' })
      return undefined
    }
    // Half a file of a restore, which the next one removes.
    if (isOwnName(at.name)) return undefined
    if (this.#options.hidden.has(this.#at(path))) return this.#skip(path, 'private')
    const stats = lstat(this.#at(path))
    // It was listed: that it is not there for a moment, as while an editor saves, is not known to be an absence.
    if (typeof stats === 'string') return this.#skip(path, stats)
    if (this.#ignored.has(at.name)) return this.#skip(path, 'rebuilt')
    if (stats.isDirectory()) return this.#inside(path, stats)
    if (stats.isSymbolicLink()) return this.#link(path)
    if (!stats.isFile()) return this.#skip(path, 'special')
    return this.#file(path, at, stats)
  }

  #inside(path: ByteName, { mode, ino }: Stats): Entry {
    if (this.#isCache(path)) return this.#skip(path, 'rebuilt')
    if (this.#files >= this.#options.limits.files) return this.#skip(path, 'many')
    const hash = this.#folder(path)
    if (hash === undefined) return this.#skip(path, 'unreadable')
    // What was listed may be another folder that took its place, or one that a link led to.
    const now = lstat(this.#at(path))
    const same = typeof now === 'object' && now.isDirectory() && now.ino === ino
    return same ? { kind: 'folder', hash, mode: mode & 0o3777 } : this.#skip(path, 'unsteady')
  }

  #isCache(path: ByteName): boolean {
    const tag = joined(this.#at(path), cacheTag)
    const stats = lstat(tag)
    if (typeof stats === 'string' || !stats.isFile()) return false
    const content = readSteady(tag, 64 * 1024)
    return typeof content === 'object' && content.bytes.toString('latin1').startsWith(cacheSignature)
  }

  #link(path: ByteName): Entry {
    const target = unlessRefused(() => readlinkSync(pathOf(this.#at(path)), { encoding: 'latin1' }), undefined)
    return target === undefined ? this.#skip(path, 'unsteady') : { kind: 'link', target }
  }

  #file(path: ByteName, at: Looked, stats: Stats): Entry {
    const { limits, objects, look } = this.#options
    const mark = `${stats.size} ${stats.mtimeMs}`
    if (stats.size > limits.fileBytes) return this.#skip(path, 'large', mark)
    if (this.#files >= limits.files) return this.#skip(path, 'many', mark)
    if (this.#bytes + stats.size > limits.totalBytes) return this.#skip(path, 'full', mark)
    const before = at.before?.get(at.name)
    const hash = known(before, stats)
    if (before && hash !== undefined && (look || objects.has(hash))) {
      at.stamps.set(at.name, before)
      return this.#kept(hash, stats.size, stats.mode & 0o777)
    }
    return this.#read(path, at)
  }

  #read(path: ByteName, at: Looked): Entry {
    const { limits, objects, look, now } = this.#options
    const began = now()
    const content = readSteady(this.#at(path), limits.fileBytes)
    if (typeof content === 'string') return this.#skip(path, content === 'gone' ? 'unsteady' : content)
    const hash = contentHash(content.bytes)
    if (!look) objects.put(hash, content.bytes)
    at.stamps.set(at.name, stampOf(content.stats, hash, began))
    this.#changed = true
    return this.#kept(hash, content.bytes.length, content.stats.mode & 0o777)
  }

  #kept(hash: string, size: number, mode: number): Entry {
    this.#files++
    this.#bytes += size
    return { kind: 'file', hash, size, mode }
  }

  #skip(path: ByteName, why: SkipReason, mark = ''): Entry {
    this.#skipped.push({ path, why })
    return { kind: 'skipped', why, mark }
  }
}

function lstat(path: ByteName): Stats | SkipReason {
  try {
    return lstatSync(pathOf(path))
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
    return errnoOf(error) === 'ENOENT' ? 'unsteady' : 'unreadable'
  }
}
