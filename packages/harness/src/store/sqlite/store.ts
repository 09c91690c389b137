import { join } from 'node:path'
import { type Failure, FailureError, faultOfPosted, type Holder, type Lease, type Result } from '@rein/session'
import { badId, busy, exists, fail, missing } from '../failures.ts'
import { findSession } from '../find.ts'
import { judgeAs, processHolder } from '../jsonl/holder.ts'
import { isSessionId } from '../jsonl/names.ts'
import type { MovableStore } from '../movable.ts'
import type { SessionStore, StoreOptions } from '../session-store.ts'
import { spillFiles } from '../spill.ts'
import { rowsBeside } from './beside.ts'
import { rowBlobs } from './blobs.ts'
import type { Connection } from './connection.ts'
import { Database } from './database.ts'
import { SqliteLease } from './lease.ts'
import { blocksOf, endsOf, mustHaveLines, tailOf } from './log-rows.ts'
import { movingIn } from './moving.ts'
import { insertPost } from './posts.ts'
import { listRows, listRowsOneByOne, rowOf, type SessionRow, verdictOn } from './session-row.ts'
import { spillPath } from './trash.ts'
import { trashOf } from './trash-store.ts'
import { isCorrupt, isTrouble, sqlFailure } from './trouble.ts'
import { watchRows } from './watch.ts'
import { guarded, orFailure, type Within } from './within.ts'

/** The name of the database in a home. */
export const DATABASE = 'sessions.sqlite'

/**
 * Sessions in one SQLite database, any number of processes, no server. It stands in `<home>/sessions.sqlite`, spill files
 * in `<home>/spill/`.
 */
export function sqliteStore(options: StoreOptions): MovableStore {
  const { home, now, pollMs = 250, silentMs: silence = 5000 } = options
  const database = new Database(join(home, DATABASE))
  const within: Within = { database, now, silentMs: silence, spill: join(home, 'spill') }
  return {
    name: 'sqlite',
    create: (id, { cwd, holder }) => create(within, id, { cwd, holder }),
    acquire: (id, { holder, silentMs = silence }) => acquire(within, id, { holder, silentMs }),
    ...lookingIn(within),
    watch: (id, from, signal) => watchRows(database, { id, from }, { signal, pollMs }),
    async post(id, item) {
      const fault = faultOfPosted(item)
      if (fault !== undefined) throw new TypeError(`cannot post: ${fault}`)
      if (!database.exists()) return fail(missing(id))
      return guarded(within, `could not post to session ${id}`, () =>
        database.writing((db): Result<void> => {
          const row = rowOf(db, id)
          if (!row) return fail(missing(id))
          insertPost(db, row.key, item)
          return { ok: true, value: undefined }
        }),
      )
    },
    blobs: (id) => rowBlobs(database, id),
    beside: (id, part) => rowsBeside(within, id, part),
    ...trashOf(within),
    ...movingIn(within, (id, holder) => acquire(within, id, { holder, silentMs: silence })),
    ...spillingIn(within),
  }
}

/** Real files, which tools read: a folder a session. */
function spillingIn(within: Within): Pick<SessionStore, 'spill' | 'spillFolder'> {
  const { database, spill } = within
  const folderOf = async (id: string): Promise<string | undefined> => {
    const looking = () => database.reading((db) => rowOf(db, id))
    const row = await orFailure(within, `could not look for session ${id}`, looking)
    return row && spillPath(spill, id, row.key)
  }
  const must = async (id: string): Promise<string> => {
    const folder = await folderOf(id)
    if (folder === undefined) throw new FailureError(missing(id))
    return folder
  }
  return { spill: (id) => spillFiles(() => must(id)), spillFolder: folderOf }
}

async function create(
  within: Within,
  id: string,
  { cwd, holder }: { readonly cwd: string; readonly holder: Holder },
): Promise<Result<Lease>> {
  if (!isSessionId(id)) return fail(badId(id))
  const { database, now } = within
  return guarded<Lease>(within, `could not create session ${id}`, async () => {
    const row = await database.writing((db) => {
      if (rowOf(db, id)) return undefined
      db.run(
        `INSERT INTO session (id, cwd, epoch, host, pid, started, renewed, changed, bytes, lines, log, state)
         VALUES (?, ?, 1, ?, ?, ?, ?, ?, 0, 0, 1, 'live')`,
        ...[id, cwd, holder.host, holder.pid, holder.started, now(), now()],
      )
      return rowOf(db, id)
    })
    return row ? { ok: true, value: new SqliteLease({ database, row, tail: 'clean', now }) } : fail(exists(id))
  })
}

async function acquire(
  within: Within,
  id: string,
  { holder, silentMs }: { readonly holder: Holder; readonly silentMs: number },
): Promise<Result<Lease>> {
  const { database, now } = within
  if (!database.exists()) return fail(missing(id))
  const judge = judgeAs(holder, now, silentMs)
  return guarded(within, `could not open session ${id}`, () =>
    database.writing((db): Result<Lease> => {
      const row = rowOf(db, id)
      if (!row) return fail(missing(id))
      if (verdictOn(row, judge) === 'alive') return fail(busy(id, row.holder))
      mustHaveLines(db, row)
      const claimed: SessionRow = { ...row, epoch: row.epoch + 1, holder, renewed: now() }
      db.run(
        'UPDATE session SET epoch = ?, host = ?, pid = ?, started = ?, renewed = ? WHERE key = ?',
        ...[claimed.epoch, holder.host, holder.pid, holder.started, claimed.renewed, row.key],
      )
      return { ok: true, value: new SqliteLease({ database, row: claimed, tail: tailOf(db, row), now }) }
    }),
  )
}

/** Lists, and what is read of a log. */
function lookingIn(within: Within): Pick<SessionStore, 'list' | 'find' | 'read' | 'ends'> {
  const { database, now, silentMs } = within
  const reading = async <T>(id: string, work: (db: Connection, row: SessionRow) => T): Promise<Result<T>> =>
    guarded(within, `could not read session ${id}`, async () => {
      const found = await database.reading((db): Result<T> | undefined => {
        const row = rowOf(db, id)
        if (!row) return undefined
        mustHaveLines(db, row)
        return { ok: true, value: work(db, row) }
      })
      return found ?? fail(missing(id))
    })
  const list: SessionStore['list'] = async () => {
    const judge = judgeAs(processHolder(), now, silentMs)
    const listed = await orFailure(within, 'could not list sessions', () =>
      database.reading((db) => {
        try {
          return listRows(db, judge)
        } catch (cause) {
          if (!isCorrupt(cause)) throw cause
          return listRowsOneByOne(db, judge, isCorrupt)
        }
      }),
    )
    return listed ?? []
  }
  return {
    list,
    find: async (typed, cwd) => findSession(await list(), typed, cwd),
    ends: (id, most) => reading(id, (db, row) => endsOf(db, row, most)),
    async read(id) {
      const found = await reading(id, (_db, row) => row.key)
      return found.ok ? { ok: true, value: { [Symbol.asyncIterator]: () => blocks(within, id) } } : found
    },
  }
}

/** One pass over a log as it stands when the pass begins, whatever is written meanwhile. */
async function* blocks(within: Within, id: string): AsyncGenerator<Uint8Array> {
  const { database } = within
  try {
    using db = await database.another()
    db.exec('BEGIN')
    const row = rowOf(db, id)
    if (!row) throw new FailureError(missing(id))
    yield* blocksOf(db, row)
  } catch (cause) {
    if (cause instanceof FailureError || !isTrouble(cause)) throw cause
    const failure: Failure = sqlFailure(
      { code: 'FILE_ERROR', what: `could not read session ${id}`, path: database.path },
      cause,
    )
    throw new FailureError(failure, { cause })
  }
}
