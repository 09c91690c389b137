import { lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { restore, restorePlan, type Undo, undoIn } from '@rein/harness'
import { SessionLog } from '@rein/session'
import { nowhere, ports, scratch } from './made-logs.ts'
import { inTurn, type Row } from './measure.ts'

const files = 20_000
const inFolder = 20
const changed = 500
/** A file younger than this is read again, because it could change without looking different. */
const settleMs = 2_500

/** A workspace of 20,000 files: looked at for the first time, again unchanged, by another process, and restored. */
export async function snapshots(): Promise<Row[]> {
  using folder = scratch()
  const root = join(folder.path, 'work')
  fill(root)
  await sleep(settleMs)
  const open = (home: string) => undoIn(join(folder.path, home), join(folder.path, 'nobody'), undefined)
  const place = { session: 'bench', root }
  await using warm = open('home')
  const log = new SessionLog({ ports, sink: nowhere })
  await turn(log, { undo: warm, place })
  let homes = 0
  const taken = await inTurn(7, {
    first: async () => {
      await using undo = open(`home-${homes++}`)
      return await wall(() => take(undo, place))
    },
    unchanged: () => wall(() => take(warm, place)),
    beside: () => longestGap(() => take(warm, place)),
    process: async () => {
      await using undo = open('home')
      return await wall(() => take(undo, place))
    },
    bare: () => wall(() => walk(root)),
    restore: async () => {
      change(root)
      return wall(() => back(log, { undo: warm, place }))
    },
  })
  return rows(taken)
}

function rows(taken: Record<'first' | 'unchanged' | 'beside' | 'process' | 'bare' | 'restore', number>): Row[] {
  const { first, unchanged, beside, process, bare, restore: restored } = taken
  const budget = { words: '≤ 500 ms', limit: 500 }
  const unit = 'wall ms'
  return [
    {
      name: `snapshot of ${files} unchanged files`,
      unit,
      ours: unchanged,
      bare,
      budget,
      note: 'bare: readdir and lstat',
    },
    { name: 'the same in a new process', unit, ours: process, bare, budget, note: 'thread and stat cache included' },
    {
      name: 'longest wait of the session meanwhile',
      unit,
      ours: beside,
      bare: null,
      budget: { words: '< 10 ms', limit: 10 },
    },
    { name: `first snapshot of ${files} files`, unit, ours: first, bare, note: 'beside the first request' },
    { name: `${changed} files restored, three looks`, unit, ours: restored, bare: null },
  ]
}

interface At {
  readonly undo: Undo
  readonly place: { readonly session: string; readonly root: string }
}

/** Where a file is: twenty in a folder. */
function folderOf(root: string, index: number): string {
  const module = Math.floor(index / inFolder)
  return join(root, `part-${module % 37}`, `module-${module}`)
}

function fill(root: string): void {
  for (let index = 0; index < files; index++) {
    const folder = folderOf(root, index)
    if (index % inFolder === 0) mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, `file-${index}.ts`),
      `export const value${index} = ${index}\n`.repeat(20 + (index % 100)),
    )
  }
}

/** The same files every time, each with content it never had. */
function change(root: string): void {
  for (let index = 0; index < changed; index++)
    writeFileSync(join(folderOf(root, index), `file-${index}.ts`), ports.id('v'))
}

async function take(undo: Undo, place: At['place']) {
  const result = await undo.run({ kind: 'take', place })
  if (result.kind !== 'taken') throw new Error(JSON.stringify(result))
  return result.taken
}

/** A turn that changed nothing: what comes after it is somebody else's. */
async function turn(log: SessionLog, { undo, place }: At): Promise<void> {
  log.append('turn/start', { turn: 1 })
  for (const when of ['before', 'after'] as const) {
    const { id, ...facts } = await take(undo, place)
    log.append('files/snapshot', { id, turn: 1, when, ...facts })
  }
  log.append('turn/end', { turn: 1, outcome: 'completed' })
}

async function back(log: SessionLog, { undo, place }: At): Promise<void> {
  const userHome = '/nobody'
  const options = { undo, userHome, session: place.session, cwd: place.root, events: log.events, to: 0 }
  const plan = await restorePlan(options)
  if (!plan.ok) throw new Error(plan.failure.message)
  const done = await restore(plan.value, { undo, log, overwrite: true })
  if (!done.ok || done.value.paths.length !== changed) throw new Error(JSON.stringify(done))
}

function walk(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    lstatSync(path)
    if (entry.isDirectory()) walk(path)
  }
}

async function wall(work: () => unknown): Promise<number> {
  const before = performance.now()
  await work()
  return performance.now() - before
}

/** How long this thread could not do anything else, at most, while something goes on. */
async function longestGap(work: () => Promise<unknown>): Promise<number> {
  let last = performance.now()
  let longest = 0
  const look = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last - 1)
    last = now
  }, 1)
  await work()
  clearInterval(look)
  return Math.max(longest, performance.now() - last)
}
