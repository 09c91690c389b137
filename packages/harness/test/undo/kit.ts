import assert from 'node:assert/strict'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { JobResult, MomentsBack, Place, Planned, Restored, Taken } from '../../src/undo/job.ts'
import { defaultLimits, type SnapshotLimits } from '../../src/undo/limits.ts'
import { Objects, objectNames } from '../../src/undo/objects.ts'
import { Workspaces } from '../../src/undo/workspace.ts'

/** A workspace with a place for its snapshots, and a folder beside it that nothing may touch. */
export class Desk implements Disposable {
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), 'rein-undo-')))
  readonly root = join(this.base, 'work')
  readonly outside = join(this.base, 'outside')
  readonly folder = join(this.base, 'home', 'snapshots')
  readonly place: Place
  readonly stop = new SharedArrayBuffer(4)
  workspaces: Workspaces

  /** @param parents sessions whose snapshots are its own too. */
  constructor(limits: Partial<SnapshotLimits> = {}, parents: readonly string[] = []) {
    this.place = { session: 's-1', parents, root: this.root }
    mkdirSync(this.root)
    mkdirSync(this.outside)
    writeFileSync(join(this.outside, 'precious'), 'do not touch')
    this.workspaces = this.again(limits)
  }

  /** As another process would find it. */
  again(limits: Partial<SnapshotLimits> = {}): Workspaces {
    const hidden = [join(this.base, 'home')]
    return new Workspaces({ folder: this.folder, limits: { ...defaultLimits, ...limits }, hidden, stop: this.stop })
  }

  get objects(): Objects {
    return new Objects(join(this.folder, 'objects'))
  }

  /** Where every object is. */
  kept(): string[] {
    const { folder } = this.objects
    return objectNames(folder).map((hash) => join(folder, hash.slice(0, 2), hash.slice(2)))
  }

  write(path: string, content: string | Buffer = path): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true })
    writeFileSync(join(this.root, path), content)
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8')
  }

  take(session = 's-1'): Taken {
    return takenOf(this.workspaces.run({ kind: 'take', place: { ...this.place, session } }))
  }

  plan(history: MomentsBack): Planned {
    const result = this.workspaces.run({ kind: 'plan', place: this.place, history })
    assert.ok(result.kind === 'planned', JSON.stringify(result))
    return result.planned
  }

  /** Everything a restore does to the workspace. */
  restore(history: MomentsBack, overwrite: boolean | readonly string[] = false): Restored {
    const now = this.take().id
    const result = this.workspaces.run({ kind: 'restore', place: this.place, history, now, overwrite })
    assert.ok(result.kind === 'restored', JSON.stringify(result))
    return result.restored
  }

  [Symbol.dispose](): void {
    rmSync(this.base, { recursive: true, force: true })
  }
}

export function takenOf(result: JobResult): Taken {
  assert.ok(result.kind === 'taken', JSON.stringify(result))
  return result.taken
}

/** From now back to one snapshot, all of it the session's own doing. */
export const backTo = (first: string, last?: string): MomentsBack => ({
  first,
  later: last === undefined ? [] : [{ tree: last, by: 'session' }],
  since: last === undefined ? 'session' : 'person',
})

/** Every path below a folder and what is there, read the plain way; names as bytes. */
export function listing(root: string): Record<string, string> {
  const found: Record<string, string> = {}
  const into = (folder: string) => {
    for (const name of readdirSync(Buffer.from(join(root, folder), 'latin1'), { encoding: 'latin1' })) {
      const path = folder === '' ? name : `${folder}/${name}`
      const at = Buffer.from(`${root}/${path}`, 'latin1')
      const stats = lstatSync(at)
      const mode = (stats.mode & 0o777).toString(8)
      if (stats.isDirectory()) {
        found[path] = `folder ${mode}`
        into(path)
      } else if (stats.isSymbolicLink()) found[path] = `link ${readlinkSync(at, 'latin1')}`
      else found[path] = `file ${mode} ${readFileSync(at, 'latin1')}`
    }
  }
  into('')
  return found
}

export type Operation =
  | { readonly kind: 'write' | 'link'; readonly path: string; readonly text: string }
  | { readonly kind: 'remove' | 'folder'; readonly path: string }
  | { readonly kind: 'mode'; readonly path: string; readonly mode: number }
  | { readonly kind: 'move'; readonly path: string; readonly to: string }

/** Do it if the system lets it be done: that a path is in the way is part of the game. Never leaves the workspace. */
export function operate(root: string, operation: Operation): void {
  const at = (path: string) => Buffer.from(`${root}/${path}`, 'latin1')
  const path = at(operation.path)
  try {
    // A link on the way would lead an ordinary write elsewhere.
    if (!leadsInside(root, operation.path)) return
    if (operation.kind === 'write') write(path, operation.text)
    else if (operation.kind === 'link') symlinkSync(operation.text, path)
    else if (operation.kind === 'remove') rmSync(path, { recursive: true, force: true })
    else if (operation.kind === 'folder') mkdirSync(path, { recursive: true })
    else if (operation.kind === 'mode') setMode(path, operation.mode)
    else if (operation.kind === 'move' && leadsInside(root, operation.to)) renameSync(path, at(operation.to))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}

function write(path: Buffer, text: string): void {
  if (isLink(path)) return
  mkdirSync(path.subarray(0, path.lastIndexOf('/')), { recursive: true })
  writeFileSync(path, text)
}

function setMode(path: Buffer, mode: number): void {
  if (!isLink(path)) chmodSync(path, mode)
}

const isLink = (path: Buffer): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true

function leadsInside(root: string, path: string): boolean {
  const folders = path.split('/').slice(0, -1)
  return folders.every((_, index) => {
    const at = Buffer.from(`${root}/${folders.slice(0, index + 1).join('/')}`, 'latin1')
    return !isLink(at)
  })
}
