import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { Epochs } from './ground.ts'

/** Private to the user: folders and files of a session. */
export const FOLDER_MODE = 0o700
export const FILE_MODE = 0o600

/** Dots separate the parts of a file name, so an id has none; nothing that could leave the folder either. */
const SESSION_ID = /^[A-Za-z0-9_-]{1,128}$/
export const isSessionId = (id: string): boolean => SESSION_ID.test(id)

const LOG = /^(\d{1,15})\.jsonl$/
const LOCK = /^lock\.(\d{1,15})$/

export type Part = { readonly kind: 'log' | 'lock'; readonly epoch: number } | { readonly kind: 'other' }

const firstLog: Part = { kind: 'log', epoch: 1 }
const other: Part = { kind: 'other' }

/** What a file of the sessions folder is; undefined when it belongs to no session. A list asks it of every name. */
export function parseName(name: string): { readonly id: string; readonly part: Part } | undefined {
  const dot = name.indexOf('.')
  const id = name.slice(0, dot)
  if (dot < 1 || dot === name.length - 1 || name.includes('\n') || !SESSION_ID.test(id)) return undefined
  return { id, part: parsePart(name.slice(dot + 1)) }
}

/** What follows the id and its dot. */
export function parsePart(rest: string): Part {
  if (rest === 'jsonl') return firstLog
  const log = rest.endsWith('.jsonl') ? LOG.exec(rest) : null
  if (log) return { kind: 'log', epoch: Number(log[1]) }
  const lock = rest.startsWith('lock.') ? LOCK.exec(rest) : null
  return lock ? { kind: 'lock', epoch: Number(lock[1]) } : other
}

/** Where one session lives: a workspace folder and its id. */
export interface Place {
  readonly folder: string
  readonly id: string
}

/** Put together by hand: a list makes thousands of them. */
export const logPath = (at: Place, epoch: number): string =>
  at.folder + sep + (epoch === 1 ? `${at.id}.jsonl` : `${at.id}.${epoch}.jsonl`)
export const lockPath = (at: Place, epoch: number): string => `${at.folder}${sep}${at.id}.lock.${epoch}`
export const copyPath = (at: Place, epoch: number): string => join(at.folder, `${at.id}.${epoch}.copy`)
export const partPath = (at: Place, part: 'inbox' | 'blobs' | 'spill' | 'aside'): string =>
  join(at.folder, `${at.id}.${part}`)

/**
 * The epochs of one session. Reading a folder is not atomic: a look may miss both the log just published and the one
 * just removed, so locks without a log are looked at again.
 */
export async function readEpochs(at: Place): Promise<Epochs> {
  let epochs = await look(at)
  for (let again = 0; again < 3 && epochs.logs.length === 0 && epochs.locks.length > 0; again++) epochs = await look(at)
  return epochs
}

/**
 * Whether a session that has no log had one: it was taken a second time, which needs a log, or something was kept with
 * it, which only a writer does.
 */
export async function hadLog(at: Place): Promise<boolean> {
  const { locks } = await readEpochs(at)
  const kept = new Set(['blobs', 'spill', 'aside'].map((part) => `${at.id}.${part}`))
  return (locks.at(-1) ?? 0) > 1 || (await readdir(at.folder)).some((name) => kept.has(name))
}

async function look(at: Place): Promise<Epochs> {
  const locks: number[] = []
  const logs: number[] = []
  for (const name of await readdir(at.folder)) {
    if (!name.startsWith(at.id)) continue
    const parsed = parseName(name)
    if (parsed?.id !== at.id || parsed.part.kind === 'other') continue
    if (parsed.part.kind === 'lock') locks.push(parsed.part.epoch)
    else logs.push(parsed.part.epoch)
  }
  const ascending = (a: number, b: number): number => a - b
  return { locks: locks.sort(ascending), logs: logs.sort(ascending) }
}

/**
 * The folder of a workspace: the readable end of its path, and a short hash so that two directories never share one.
 * At most 60 characters of `[A-Za-z0-9_-]`.
 */
export function workspaceSlug(cwd: string): string {
  const readable = cwd
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(-47)
    .replace(/^-+/, '')
  const hash = createHash('sha256').update(cwd).digest('hex').slice(0, 12)
  return readable === '' ? hash : `${readable}-${hash}`
}
