import { readdirSync, readFileSync } from 'node:fs'
import type { Survivor } from './spawn.ts'

/** The variable that marks everything one call starts, so that it is found again after it left its group. */
export const MARK = 'REIN_CALL'

/** What belongs to one started process. */
export interface Tree {
  /** Also the process group and session of the tree: the root is started as their leader. */
  readonly root: number
  /** Value of `REIN_CALL`, unlike that of any other tree. */
  readonly mark: string
}

interface Row {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
}

/**
 * Processes of the trees that are alive, zombies left out. On Linux: members of the group or session, whatever carries
 * the mark, and the descendants of all these. A process that left the session, was orphaned *and* cleared its
 * environment is not found. Elsewhere nothing is listed, and only the group can be signalled.
 */
export function livingOf(trees: readonly Tree[]): readonly number[] {
  const rows = processTable()
  const roots = new Set(trees.map(({ root }) => root))
  const marks = trees.map(({ mark }) => `\0${MARK}=${mark}\0`)
  const found = new Set<number>()
  for (const row of rows)
    if (roots.has(row.pid) || roots.has(row.group) || roots.has(row.session) || isMarked(row.pid, marks))
      found.add(row.pid)
  for (let grown = true; grown; ) {
    grown = false
    for (const row of rows)
      if (!found.has(row.pid) && found.has(row.parent)) {
        found.add(row.pid)
        grown = true
      }
  }
  found.delete(process.pid)
  return [...found].sort((a, b) => a - b)
}

/** The same with their command lines. */
export function survivorsOf(tree: Tree): readonly Survivor[] {
  return livingOf([tree]).map((pid) => ({ pid, command: commandOf(pid) }))
}

/** Signal every living member of the trees, the groups first so that no new child slips through between two reads. */
export function signalTrees(trees: readonly Tree[], signal: NodeJS.Signals): void {
  for (const { root } of trees) signalOne(-root, signal)
  for (const pid of livingOf(trees)) signalOne(pid, signal)
}

/** Whether anything of the tree is alive. */
export function isAlive(tree: Tree): boolean {
  if (process.platform === 'linux') return livingOf([tree]).length > 0
  return signalOne(-tree.root, 0)
}

/** @returns false when there is no such process, or it is not ours to signal. */
function signalOne(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM')) return false
    throw error
  }
}

function processTable(): readonly Row[] {
  if (process.platform !== 'linux') return []
  const rows: Row[] = []
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid)) continue
    const stat = readProc(pid, 'stat')
    // The name in parentheses may hold anything; what follows the last one is numbers.
    const [state, parent, group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (stat !== '' && state !== 'Z' && state !== 'X')
      rows.push({ pid, parent: Number(parent), group: Number(group), session: Number(session) })
  }
  return rows
}

function isMarked(pid: number, marks: readonly string[]): boolean {
  const environment = `\0${readProc(pid, 'environ')}\0`
  return marks.some((mark) => environment.includes(mark))
}

function commandOf(pid: number): string {
  const line = readProc(pid, 'cmdline').split('\0').join(' ').trim()
  return line.length <= 200 ? line : `${line.slice(0, 200).toWellFormed()}…`
}

/** '' for a process that is gone or belongs to somebody else. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch (error) {
    if (
      error instanceof Error &&
      'code' in error &&
      ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(String(error.code))
    )
      return ''
    throw error
  }
}
