import { type ByteName, shown } from './byte-name.ts'
import type { Differing, Trees } from './difference.ts'
import type { Objects } from './objects.ts'
import type { Entry, SkipReason } from './tree.ts'

/** Who may have made the difference between two snapshots. */
export type Author = 'session' | 'person' | 'unknown'

/** A snapshot, and who worked between the one before and it. */
export interface Moment {
  readonly tree: string
  readonly by: Author
}

/** What one path needs to become what it was. */
export interface Action {
  readonly path: ByteName
  readonly from: Entry | undefined
  readonly to: Entry | undefined
  readonly by: ChangedBy
}

/**
 * `session`: only the session changed it. `person`: only somebody else did, and going back would undo that alone.
 * `both`: the session changed it, and somebody else may have too.
 */
export type ChangedBy = 'session' | 'person' | 'both'

/** What going back would do to one path, for people and programs. */
export interface PlannedFile {
  /** Relative to the workspace; a folder ends in `/`. */
  readonly path: string
  readonly action: 'create' | 'overwrite' | 'delete' | 'mode'
  readonly by: ChangedBy
}

/** A path that stays as it is. */
export interface LeftFile {
  readonly path: string
  readonly why: string
}

export interface Actions {
  readonly actions: readonly Action[]
  readonly left: readonly LeftFile[]
}

/**
 * From `current` back to the first moment. A path is somebody's as far as the pairs of moments since then show it
 * different. @throws TreeGone
 */
export function planned(
  { first, later, current }: { first: string; later: readonly Moment[]; current: Moment },
  { trees, objects }: { trees: Trees; objects: Objects },
): Actions {
  const authors = new Map<ByteName, Set<Author>>()
  let before = first
  for (const { tree, by } of [...later, current]) {
    for (const one of trees.difference(before, tree)) enter(authors, one.path, authorOf(one, by))
    before = tree
  }
  const actions: Action[] = []
  const left: LeftFile[] = []
  for (const { path, from, to } of trees.difference(current.tree, first)) {
    const why = reasonToLeave({ path, from, to }, objects)
    if (why !== undefined) left.push({ path: shown(path), why })
    else actions.push({ path, from, to, by: changedBy(authors.get(path)) })
  }
  return { actions, left }
}

/** Where it cannot be known who did it and nothing is there now, there is nothing of anybody's to lose. */
const authorOf = ({ to }: Differing, by: Author): Author => (by === 'unknown' && to === undefined ? 'session' : by)

function enter(authors: Map<ByteName, Set<Author>>, path: ByteName, by: Author): void {
  const known = authors.get(path)
  if (known) known.add(by)
  else authors.set(path, new Set([by]))
}

function changedBy(authors: ReadonlySet<Author> | undefined): ChangedBy {
  if (!authors || authors.size > 1 || authors.has('unknown')) return 'both'
  return authors.has('person') ? 'person' : 'session'
}

const reasons: Readonly<Record<SkipReason, string>> = {
  rebuilt: 'it can be made again, so it is in no snapshot',
  git: 'it is what git keeps for itself',
  large: 'it is larger than plugins.snapshots.config.fileBytes',
  full: 'the workspace is larger than plugins.snapshots.config.totalBytes',
  many: 'the workspace has more files than plugins.snapshots.config.files',
  special: 'it is no file, folder or link',
  unreadable: 'it could not be read',
  unsteady: 'it changed while it was read',
  private: 'it is a private place',
}

export const reasonOf = (why: SkipReason): string => reasons[why]

function reasonToLeave({ from, to }: Differing, objects: Objects): string | undefined {
  if (to?.kind === 'skipped') return `what it was is not known: ${reasons[to.why]}`
  if (from?.kind === 'skipped') return `what it is now could not be kept: ${reasons[from.why]}`
  const lost = to?.kind === 'file' && !(from?.kind === 'file' && from.hash === to.hash) && !objects.has(to.hash)
  return lost ? 'its content is not kept any more' : undefined
}

export function plannedFile({ path, from, to, by }: Action): PlannedFile {
  const folder = to ? to.kind === 'folder' : from?.kind === 'folder'
  return { path: shown(path) + (folder ? '/' : ''), action: actionOf(from, to), by }
}

function actionOf(from: Entry | undefined, to: Entry | undefined): PlannedFile['action'] {
  if (!to) return 'delete'
  if (!from) return 'create'
  if (from.kind === 'folder' && to.kind === 'folder') return 'mode'
  return from.kind === 'file' && to.kind === 'file' && from.hash === to.hash ? 'mode' : 'overwrite'
}
