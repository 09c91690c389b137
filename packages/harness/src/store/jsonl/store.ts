import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { type Blobs, FailureError, type Result, type SessionEntry, type Store } from '@rein/session'
import { codeOf } from '../disk-failure.ts'
import { type SpilledFile, spillFiles } from '../spill.ts'
import { acquireSession, createSession, type Opening, putAway } from './acquire.ts'
import { fileBlobs } from './blobs.ts'
import { fail, missing } from './failures.ts'
import { findSession } from './find.ts'
import { judgeAs, processHolder } from './holder.ts'
import { postItem } from './inbox.ts'
import { listSessions, locateSession } from './listing.ts'
import { isSessionId, type Place, partPath } from './names.ts'
import { readLog } from './read-log.ts'
import { watchLog } from './watch.ts'

export interface JsonlOptions {
  /** `$REIN_HOME`, absolute: sessions stand in `<home>/sessions/`, what was put away in `<home>/trash/`. */
  readonly home: string
  /** Milliseconds since 1970, UTC. Decides only how long a silent holder is waited for, and the order of posts. */
  readonly now: () => number
  /** How often a watcher looks where the system gives no hints, in milliseconds. Default 250. */
  readonly pollMs?: number
  /** After how long without a sign of life a holder may be taken over, in milliseconds. Default 5000. */
  readonly silentMs?: number
}

export interface JsonlStore extends Store {
  /**
   * One session by what a person types: `last` (the most recently changed of this directory, else of all), an id, or
   * the beginning of one. Fails `SESSION_MISSING`, and `USAGE` when several begin so.
   */
  find(typed: string, cwd: string): Promise<Result<SessionEntry>>
  /** Files for outputs too large for a message, in this session's own spill folder. */
  spill(id: string): { open(name: string): Promise<SpilledFile> }
  /** This session's spill folder, which its tools may read; undefined when there is no such session. */
  spillFolder(id: string): Promise<string | undefined>
}

/** Sessions as files: one JSON line an event, one log a session, any number of processes, no server. */
export function jsonlStore(options: JsonlOptions): JsonlStore {
  const { now, pollMs = 250, silentMs: silence = 5000 } = options
  const root = join(options.home, 'sessions')
  const locate = locator(root)
  const opening: Opening = { root, trash: join(options.home, 'trash'), now, silentMs: silence, locate: locate.find }
  const list = (): Promise<readonly SessionEntry[]> => listSessions(root, judgeAs(processHolder(), now, silence))
  return {
    name: 'jsonl',
    create: (id, { cwd, holder }) => createSession(opening, id, { cwd, holder }),
    acquire: (id, { holder, silentMs = silence }) => acquireSession(opening, id, { holder, silentMs }),
    list,
    find: async (typed, cwd) => findSession(await list(), typed, cwd),
    read: async (id) => {
      const at = await locate.find(id)
      return at ? readLog(at) : fail(missing(id))
    },
    async *watch(id, from, signal) {
      const at = await locate.find(id)
      if (!at) throw new FailureError(missing(id))
      yield* watchLog(at, from, { signal, pollMs })
    },
    post: async (id, item) => {
      const at = await locate.find(id)
      return at ? postItem(at, item, now) : fail(missing(id))
    },
    blobs: (id): Blobs => fileBlobs(id, { locate: (of) => locate.part(of, 'blobs') }),
    async trash(id) {
      const done = await putAway(opening, id)
      if (done.ok) locate.forget(id)
      return done
    },
    spill: (id) => spillFiles(() => locate.part(id, 'spill')),
    async spillFolder(id) {
      const at = await locate.find(id)
      return at && partPath(at, 'spill')
    },
  }
}

interface Locator {
  find(id: string): Promise<Place | undefined>
  /** @throws FailureError `SESSION_MISSING`. */
  part(id: string, part: 'blobs' | 'spill'): Promise<string>
  forget(id: string): void
}

/** Remembers where a session was found; it never moves but to the trash, and then its inbox is gone from there. */
function locator(root: string): Locator {
  const known = new Map<string, Place>()
  const locator: Locator = {
    async find(id) {
      if (!isSessionId(id)) return undefined
      const before = known.get(id)
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
