import { type ByteName, joined } from './byte-name.ts'
import type { Objects } from './objects.ts'
import { decodeTree, type Entry, sameEntry, type Tree } from './tree.ts'

/** A tree that is not kept any more. */
export class TreeGone extends Error {}

/** One path at which two snapshots differ. Folders come before what is in them. */
export interface Differing {
  readonly path: ByteName
  readonly from: Entry | undefined
  readonly to: Entry | undefined
}

/** Trees read once each. */
export class Trees {
  readonly #objects: Objects
  readonly #read = new Map<string, Tree>()

  constructor(objects: Objects) {
    this.#objects = objects
  }

  /** @throws TreeGone */
  get(hash: string): Tree {
    const before = this.#read.get(hash)
    if (before) return before
    const bytes = this.#objects.get(hash)
    if (!bytes) throw new TreeGone(`the tree ${hash} is not kept any more`)
    const tree = decodeTree(bytes)
    this.#read.set(hash, tree)
    return tree
  }

  /** Every path at which two snapshots differ; folders that are equal are not looked into. @throws TreeGone */
  difference(from: string, to: string): readonly Differing[] {
    const found: Differing[] = []
    if (from !== to) this.#compare('', { from: this.get(from), to: this.get(to) }, found)
    return found
  }

  #compare(folder: ByteName, { from, to }: { from: Tree; to: Tree }, found: Differing[]): void {
    for (const name of new Set([...from.keys(), ...to.keys()])) {
      const [a, b] = [from.get(name), to.get(name)]
      if (sameEntry(a, b)) continue
      const path = joined(folder, name)
      // That something in a folder changed is said where it changed.
      if (a?.kind !== 'folder' || b?.kind !== 'folder' || a.mode !== b.mode) found.push({ path, from: a, to: b })
      // Where one of them was not looked into, what the other holds there is no difference: it may have been there too.
      if (a?.kind === 'skipped' || b?.kind === 'skipped') continue
      if (a?.kind === 'folder' || b?.kind === 'folder')
        this.#compare(path, { from: this.#inside(a), to: this.#inside(b) }, found)
    }
  }

  #inside(entry: Entry | undefined): Tree {
    return entry?.kind === 'folder' ? this.get(entry.hash) : new Map()
  }
}
