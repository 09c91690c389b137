import type { ByteName } from './byte-name.ts'

/** Why something in a workspace is in no snapshot. */
export type SkipReason =
  /** Its name is one of `ignore`, or it is marked as a cache. */
  | 'rebuilt'
  /** What git keeps for itself. */
  | 'git'
  | 'large'
  | 'full'
  | 'many'
  | 'special'
  | 'unreadable'
  | 'unsteady'
  /** A private place, or what rein itself keeps. */
  | 'private'

/** One name in a folder of a snapshot. `mode` holds the nine permission bits, of a folder also set-group-id and sticky. */
export type Entry =
  | { readonly kind: 'file'; readonly hash: string; readonly size: number; readonly mode: number }
  | { readonly kind: 'folder'; readonly hash: string; readonly mode: number }
  | { readonly kind: 'link'; readonly target: ByteName }
  /** Something was there that is not kept; `mark` tells one state of it from another as far as that is known. */
  | { readonly kind: 'skipped'; readonly why: SkipReason; readonly mark: string }

/** A folder of a snapshot. */
export type Tree = ReadonlyMap<ByteName, Entry>

/** The bytes of a folder: equal folders have equal bytes, whenever and wherever they were seen. */
export function encodeTree(tree: Tree): Buffer {
  const names = [...tree.keys()].sort()
  const parts = names.map((name) => {
    const entry = tree.get(name)
    return entry ? `${encoded(entry)}\0${name}\0` : ''
  })
  return Buffer.from(parts.join(''), 'latin1')
}

function encoded(entry: Entry): string {
  switch (entry.kind) {
    case 'file':
      return `f${entry.hash} ${entry.mode.toString(8)} ${entry.size}`
    case 'folder':
      return `d${entry.hash} ${entry.mode.toString(8)}`
    case 'link':
      return `l${entry.target}`
    case 'skipped':
      return `s${entry.why} ${entry.mark}`
  }
}

/** @throws Error when the bytes are not those of a folder. */
export function decodeTree(bytes: Buffer): Tree {
  const parts = bytes.toString('latin1').split('\0')
  const tree = new Map<ByteName, Entry>()
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [fields = '', name = ''] = [parts[at], parts[at + 1]]
    if (!safeName(name)) throw new Error('a snapshot holds a name that leads elsewhere')
    tree.set(name, decoded(fields))
  }
  return tree
}

/** Names come from a file: one with a separator in it could lead out of the workspace. */
const safeName = (name: ByteName): boolean => name !== '' && name !== '.' && name !== '..' && !name.includes('/')

function decoded(fields: string): Entry {
  const rest = fields.slice(1)
  const [first = '', second = '', third = ''] = rest.split(' ')
  switch (fields[0]) {
    case 'f':
      return { kind: 'file', hash: first, mode: Number.parseInt(second, 8), size: Number(third) }
    case 'd':
      return { kind: 'folder', hash: first, mode: Number.parseInt(second, 8) }
    case 'l':
      return { kind: 'link', target: rest }
    case 's':
      return { kind: 'skipped', why: first as SkipReason, mark: rest.slice(first.length + 1) }
    default:
      throw new Error('a snapshot holds an entry of no known kind')
  }
}

export const sameEntry = (a: Entry | undefined, b: Entry | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && encoded(a) === encoded(b))
