import type { Result, SessionEvent, SessionLog } from '@rein/session'
import { turns } from '@rein/session'
import { type WayBack, wayBack } from './history.ts'
import type { JobResult, Place, Taken, Unseen } from './job.ts'
import type { LeftFile, PlannedFile } from './plan.ts'
import { refusal } from './refusal.ts'
import type { Undo } from './undo-thread.ts'

/** What going back to an event would do to the files of the workspace. */
export interface RestorePlan {
  /** Sorted by path. Those that somebody else changed since say so, and stay unless they are asked for. */
  readonly files: readonly PlannedFile[]
  /** Differences that cannot be undone. */
  readonly left: readonly LeftFile[]
  /** False: the event lies inside a turn; the files go back to where that turn had changed nothing. */
  readonly exact: boolean
  /** Turns since then without a snapshot: what they did may not go back. */
  readonly uncovered: readonly number[]
  /** What no snapshot has, such as folders that can be made again: what changed there stays. */
  readonly unseen: Unseen
  /** For `restore`. */
  readonly place: Place
  readonly way: WayBack
}

/** Which files are to go back, and to when. */
export interface RestoreOptions {
  readonly undo: Undo
  readonly session: string
  /** The workspace, absolute. */
  readonly cwd: string
  readonly userHome: string
  readonly events: readonly SessionEvent[]
  /** Number of the last event that stays. */
  readonly to: number
}

/** What was done. */
export interface RestoreDone {
  /** What is now as it was, relative to the workspace. */
  readonly paths: readonly string[]
  /** How many of them are folders. */
  readonly folders: number
  /** What is not, and why. */
  readonly left: readonly LeftFile[]
  /** What somebody else had changed and was not asked for. */
  readonly kept: readonly string[]
}

/**
 * Look, and change nothing. Fails `REFUSED` where no snapshots are made, `NOT_FOUND` when the snapshot is not kept any
 * more, `FILE_ERROR` when the workspace cannot be read.
 */
export async function restorePlan(options: RestoreOptions, signal?: AbortSignal): Promise<Result<RestorePlan>> {
  const { undo, session, cwd, userHome, events, to } = options
  const why = refusal(cwd, userHome)
  if (why !== undefined) return { ok: false, failure: { code: 'REFUSED', message: why } }
  const parents = events.flatMap(({ type, data }) => (type === 'session/fork' ? [data.parent] : []))
  const place = { session, parents, root: cwd }
  const way = wayBack(events, to)
  const { exact, uncovered, moments } = way
  if (!moments) return { ok: true, value: { files: [], left: [], unseen: nothing, exact, uncovered, place, way } }
  const result = await undo.run({ kind: 'plan', place, history: moments }, signal)
  if (result.kind !== 'planned') return unexpected(result)
  const { left, unseen } = result.planned
  const files = result.planned.files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  return { ok: true, value: { files, left, unseen, exact, uncovered, place, way } }
}

const nothing: Unseen = { paths: [], more: 0 }

/**
 * Do it. First the workspace is kept as it is, so that this can be taken back too; what changed since the plan was made
 * counts as somebody else's. Broken off in the middle, it can be done again. The log must be open for writing and
 * no turn may run.
 * @param how `overwrite`: which of the files that somebody else changed go back too; default none.
 */
export async function restore(
  { place, way }: RestorePlan,
  how: { readonly undo: Undo; readonly log: SessionLog; readonly overwrite?: boolean | readonly string[] },
): Promise<Result<RestoreDone>> {
  const { undo, log, overwrite = false } = how
  const { moments } = way
  if (!moments) return { ok: true, value: { paths: [], folders: 0, left: [], kept: [] } }
  const now = await take(place, { undo, log, when: 'before' })
  if (!now.ok) return now
  const seen = await undo.run({ kind: 'plan', place, history: moments })
  if (seen.kind !== 'planned') return unexpected(seen)
  const result = await undo.run({ kind: 'restore', place, history: moments, now: now.value.id, overwrite })
  if (result.kind !== 'restored') return unexpected(result)
  const { paths, left } = result.restored
  log.append('files/restored', { snapshot: moments.first, paths })
  const after = await take(place, { undo, log, when: 'after' })
  if (!after.ok) return after
  const away = new Set([...paths, ...left.map(({ path }) => path)])
  const planned = seen.planned.files.map(({ path }) => path)
  const kept = planned.filter((path) => !away.has(path.replace(/\/$/, '')))
  const named = new Set(planned)
  const folders = paths.filter((path) => named.has(`${path}/`)).length
  return { ok: true, value: { paths, folders, left, kept } }
}

async function take(
  place: Place,
  { undo, log, when }: { readonly undo: Undo; readonly log: SessionLog; readonly when: 'before' | 'after' },
): Promise<Result<Taken>> {
  const result = await undo.run({ kind: 'take', place })
  if (result.kind !== 'taken') return unexpected(result)
  const { id, ...facts } = result.taken
  log.append('files/snapshot', { id, turn: log.state(turns).turn, when, ...facts })
  await log.synced()
  return { ok: true, value: result.taken }
}

function unexpected(result: JobResult): Result<never> {
  if (result.kind === 'failed') return { ok: false, failure: result.failure }
  return { ok: false, failure: { code: 'TIME', message: 'Looking at the workspace was broken off.' } }
}
