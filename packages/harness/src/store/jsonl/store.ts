import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { type Blobs, FailureError } from '@rein/session'
import { codeOf } from '../disk-failure.ts'
import { fail, missing } from '../failures.ts'
import { findSession } from '../find.ts'
import type { MovableStore } from '../movable.ts'
import type { SessionStore, StoreOptions } from '../session-store.ts'
import { spillFiles } from '../spill.ts'
import { acquireSession, createSession, type Opening, onDisk, putAway } from './acquire.ts'
import { filesBeside } from './beside.ts'
import { fileBlobs } from './blobs.ts'
import type { Top } from './entry.ts'
import { judgeAs, processHolder } from './holder.ts'
import { postItem } from './inbox.ts'
import { isInUse, listSessions, locateSession } from './listing.ts'
import { logEnds } from './log-ends.ts'
import { movingIn } from './moving.ts'
import { isSessionId, type Place, partPath } from './names.ts'
import { readLog } from './read-log.ts'
import { deleteFromTrash, listTrash, restoreFromTrash } from './trashed.ts'
import { watchLog } from './watch.ts'

/**
 * Sessions as files: one JSON line an event, one log a session, any number of processes, no server. They stand in
 * `<home>/sessions/`, what was put away in `<home>/trash/`.
 */
export function jsonlStore(options: StoreOptions): MovableStore {
  const { now, pollMs = 250, silentMs: silence = 5000 } = options
  const root = join(options.home, 'sessions')
  const locate = locator(root)
  const opening: Opening = { root, trash: join(options.home, 'trash'), now, silentMs: silence, locate: locate.find }
  return {
    name: 'jsonl',
    create: (id, { cwd, holder }) => createSession(opening, id, { cwd, holder }),
    acquire: (id, { holder, silentMs = silence }) => acquireSession(opening, id, { holder, silentMs }),
    ...lookingIn(opening, locate),
    async *watch(id, from, signal) {
      const at = await locate.find(id)
      if (!at) throw new FailureError(missing(id))
      yield* watchLog(at, from, { signal, pollMs })
    },
    post: (id, item) =>
      onDisk(`could not post to session ${id}`, async () => {
        const at = await locate.find(id)
        return at ? postItem(at, item, now) : fail(missing(id))
      }),
    blobs: (id): Blobs => fileBlobs(id, { locate: (of) => locate.part(of, 'blobs') }),
    async trash(id) {
      const done = await putAway(opening, id)
      if (done.ok) locate.forget(id)
      return done
    },
    trashed: () => listTrash(opening.trash),
    restore: (name) =>
      onDisk(`could not restore ${name}`, () => restoreFromTrash(opening, name, (id) => isInUse(root, id))),
    emptyTrash: (names) => deleteFromTrash(opening.trash, names),
    ...movingIn(opening),
    spill: (id) => spillFiles(() => locate.part(id, 'spill')),
    async spillFolder(id) {
      const at = await locate.find(id)
      return at && partPath(at, 'spill')
    },
  }
}

/** Lists, and what is read of a log. The epochs a list found spare later looks the reading of a large folder. */
function lookingIn(
  { root, now, silentMs }: Opening,
  locate: Locator,
): Pick<SessionStore, 'list' | 'find' | 'read' | 'ends' | 'beside'> {
  const list: SessionStore['list'] = (known) =>
    listSessions(root, { judge: judgeAs(processHolder(), now, silentMs), known, found: locate.listed })
  return {
    list,
    find: async (typed, cwd) => findSession(await list(), typed, cwd),
    read: (id) =>
      onDisk(`could not read session ${id}`, async () => {
        const at = await locate.find(id)
        return at ? readLog(at) : fail(missing(id))
      }),
    async *beside(id, part) {
      const at = await locate.find(id)
      if (at) yield* filesBeside(at, part)
    },
    ends: (id, most) =>
      onDisk(`could not read session ${id}`, async () => {
        const at = await locate.find(id)
        return at ? logEnds(at, most, locate.top(at)) : fail(missing(id))
      }),
  }
}

interface Locator {
  find(id: string): Promise<Place | undefined>
  /** @throws FailureError `SESSION_MISSING`. */
  part(id: string, part: 'blobs' | 'spill'): Promise<string>
  /** What a list found in a folder. */
  listed(folder: string, sessions: ReadonlyMap<string, Top>): void
  /** The epochs a list found, which may be others by now. */
  top(at: Place): Top | undefined
  forget(id: string): void
}

/** Remembers where a session was found; it never moves but to the trash, and then its inbox is gone from there. */
function locator(root: string): Locator {
  const known = new Map<string, Place>()
  const listed = new Map<string, ReadonlyMap<string, Top>>()
  const inList = (id: string): Place | undefined => {
    for (const [folder, sessions] of listed) if (sessions.has(id)) return { folder, id }
    return undefined
  }
  const locator: Locator = {
    async find(id) {
      if (!isSessionId(id)) return undefined
      const before = known.get(id) ?? inList(id)
      if (before && (await isThere(partPath(before, 'inbox')))) return before
      const found = await locateSession(root, id)
      if (found) known.set(id, found)
      else known.delete(id)
      return found
    },
    async part(id, part) {
      const at = await locator.find(id)
      if (!at) throw new FailureError(missing(id))
      return partPath(at, part)
    },
    listed: (folder, sessions) => void listed.set(folder, sessions),
    top: ({ folder, id }) => listed.get(folder)?.get(id),
    forget: (id) => void known.delete(id),
  }
  return locator
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path, constants.F_OK)
    return true
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause
    return false
  }
}
