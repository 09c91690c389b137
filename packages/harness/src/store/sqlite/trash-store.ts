import type { Result } from '@rein/session'
import { busy, exists, fail, missing, notInTrash } from '../failures.ts'
import { judgeAs, processHolder } from '../jsonl/holder.ts'
import type { SessionStore } from '../session-store.ts'
import { textOf } from './connection.ts'
import { rowOf, verdictOn } from './session-row.ts'
import { bytesInFolder, deleteSession, keyIn, removeFolder, spillPath, trashedRows } from './trash.ts'
import { guarded, orFailure, type Within } from './within.ts'

/** The trash: rows of another state. A spill folder stays where it is and goes when its session is deleted. */
export function trashOf(within: Within): Pick<SessionStore, 'trash' | 'trashed' | 'restore' | 'emptyTrash'> {
  return {
    trash: (id) => putAway(within, id),
    trashed: async () => {
      const reading = () => within.database.reading(trashedRows)
      const rows = (await orFailure(within, 'could not list the trash', reading)) ?? []
      return Promise.all(
        rows.map(async ({ key, name, id, at, bytes }) => ({
          name,
          id,
          at,
          bytes: bytes + (await bytesInFolder(spillPath(within.spill, id, key))),
        })),
      )
    },
    restore: (name) => restore(within, name),
    emptyTrash: (names) => empty(within, names),
  }
}

async function putAway(within: Within, id: string): Promise<Result<void>> {
  const { database, now, silentMs } = within
  if (!database.exists()) return fail(missing(id))
  const judge = judgeAs(processHolder(), now, silentMs)
  return guarded(within, `could not put session ${id} away`, () =>
    database.writing((db): Result<void> => {
      const row = rowOf(db, id)
      if (!row) return fail(missing(id))
      if (verdictOn(row, judge) === 'alive') return fail(busy(id, row.holder))
      // Whoever still believes to hold it finds a higher epoch, also after it came back.
      db.run(
        `UPDATE session SET state = 'trash', trashed = ?, epoch = epoch + 1, host = NULL, pid = NULL, started = NULL
         WHERE key = ?`,
        now(),
        row.key,
      )
      return { ok: true, value: undefined }
    }),
  )
}

async function restore(within: Within, name: string): Promise<Result<string>> {
  const { database } = within
  const key = keyIn(name)
  if (key === undefined || !database.exists()) return fail(notInTrash(name))
  return guarded(within, `could not restore ${name}`, () =>
    database.writing((db): Result<string> => {
      const row = db.one(`SELECT id FROM session WHERE key = ? AND state = 'trash'`, key)
      const id = textOf(row?.['id'])
      if (id === null || name !== `${id}.${key}`) return fail(notInTrash(name))
      if (rowOf(db, id)) return fail(exists(id))
      db.run(`UPDATE session SET state = 'live', trashed = NULL WHERE key = ?`, key)
      return { ok: true, value: id }
    }),
  )
}

function empty(
  within: Within,
  names: readonly string[] | undefined,
): Promise<{ readonly removed: number; readonly bytes: number }> {
  const { database, spill } = within
  const wanted = names && new Set(names)
  return orFailure(within, 'could not empty the trash', async () => {
    const deleted = { removed: 0, bytes: 0 }
    for (const { key, id, name, bytes } of (await database.reading(trashedRows)) ?? []) {
      if (wanted && !wanted.has(name)) continue
      const gone = await database.writing((db) => {
        // Restored in the meantime: it is nobody's to delete.
        if (!db.one(`SELECT 1 AS there FROM session WHERE key = ? AND state = 'trash'`, key)) return false
        deleteSession(db, key)
        return true
      })
      if (!gone) continue
      const folder = spillPath(spill, id, key)
      deleted.removed++
      deleted.bytes += bytes + (await bytesInFolder(folder))
      await removeFolder(folder)
    }
    if (deleted.removed > 0) await database.shrink()
    return deleted
  })
}
