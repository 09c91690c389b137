import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { FailureError, type Holder, type Lease, type Result } from '@rein/session'
import { exists, fail, missing, taken } from '../failures.ts'
import { writeBytes } from '../jsonl/log-file.ts'
import { FOLDER_MODE } from '../jsonl/names.ts'
import { type Arrival, type Contents, type MovableStore, type Pack, type Piece, piecesIn } from '../movable.ts'
import { bytesOf, type Connection, numberOf, textOf } from './connection.ts'
import { blocksOf, insertLine, placeOf } from './log-rows.ts'
import { insertPost, waitingPosts } from './posts.ts'
import { rowOf, toSession } from './session-row.ts'
import { deleteSession, removeFolder, spillPath } from './trash.ts'
import { guarded, orFailure, type Within } from './within.ts'

type Acquire = (id: string, holder: Holder) => Promise<Result<Lease>>

/** Bytes written in one transaction: others write in between. */
const AT_ONCE = 4 * 1024 * 1024
const NEWLINE = 10

/** How sessions come to this store from another and leave it. */
export function movingIn(within: Within, acquire: Acquire): Pick<MovableStore, 'standing' | 'pack' | 'unpack'> {
  const { database } = within
  return {
    standing: (id) =>
      orFailure(within, `could not look for session ${id}`, async () => {
        const row = await database.reading((db) => rowOf(db, id))
        return row && { epoch: row.epoch, whole: true }
      }),
    pack: (id, holder) => pack(within, acquire, { id, holder }),
    unpack: (from) => guarded(within, `could not copy session ${from.id}`, () => unpack(within, from)),
  }
}

async function pack(
  within: Within,
  acquire: Acquire,
  { id, holder }: { readonly id: string; readonly holder: Holder },
): Promise<Result<Pack>> {
  const { database } = within
  const opened = await acquire(id, holder)
  if (!opened.ok) return opened
  const lease = opened.value
  return guarded<Pack>(within, `could not read session ${id}`, async () => {
    const row = await database.reading((db) => rowOf(db, id))
    if (!row) return fail(missing(id))
    const value: Pack = {
      ...contentsOf(within, { key: row.key, id }),
      id,
      cwd: row.cwd,
      epoch: lease.epoch,
      changed: row.changed,
      log: () => lease.bytes(),
      posted: () => lease.posted(),
      renew: () => lease.renew(),
      putAway: () => putRowAway(within, { id, key: row.key, epoch: lease.epoch }),
      late: () =>
        orFailure(within, `could not look for what was posted to session ${id}`, async () => {
          return (await database.reading((db) => waitingPosts(db, row.key))) ?? []
        }),
      release: () => lease.release(),
    }
    return { ok: true, value }
  })
}

const putRowAway = (
  within: Within,
  { id, key, epoch }: { readonly id: string; readonly key: number; readonly epoch: number },
): Promise<void> =>
  orFailure(within, `could not put session ${id} away`, async () => {
    const away = await within.database.writing((db) =>
      db.run(
        `UPDATE session SET state = 'trash', trashed = ?, host = NULL, pid = NULL, started = NULL
         WHERE key = ? AND epoch = ? AND state = 'live'`,
        within.now(),
        key,
        epoch,
      ),
    )
    if (away === 0) throw new FailureError(taken(id))
  })

function contentsOf(within: Within, { key, id }: { readonly key: number; readonly id: string }): Contents {
  const { database, spill } = within
  async function* rows(table: 'blob' | 'aside', name: string): AsyncGenerator<Piece> {
    const names = await database.reading((db) => db.all(`SELECT ${name} AS name FROM ${table} WHERE session = ?`, key))
    for (const each of names ?? []) {
      const text = textOf(each['name']) ?? ''
      const query = `SELECT bytes FROM ${table} WHERE session = ? AND ${name} = ?`
      const row = await database.reading((db) => db.one(query, key, text))
      yield { name: text, bytes: bytesOf(row?.['bytes']) }
    }
  }
  return {
    log: () => logOf(within, key),
    blobs: () => rows('blob', 'sha256'),
    asides: () => rows('aside', 'name'),
    spilled: () => piecesIn(spillPath(spill, id, key)),
  }
}

async function* logOf({ database }: Within, key: number): AsyncGenerator<Uint8Array> {
  using db = await database.another()
  db.exec('BEGIN')
  const row = db.one('SELECT * FROM session WHERE key = ?', key)
  if (row) yield* blocksOf(db, toSession(row))
}

/** Under a row that no reader sees. One that an interrupted move left goes first. */
async function unpack(within: Within, from: Pack): Promise<Result<Arrival>> {
  const { database, spill } = within
  const { id } = from
  await clearArrivals(within, id)
  const key = await database.writing((db) => arrivingRow(db, from))
  await copyLog(within, key, from)
  for await (const { name, bytes } of from.blobs())
    await database.writing((db) =>
      db.run('INSERT INTO blob (session, sha256, bytes) VALUES (?, ?, ?)', key, name, bytes),
    )
  for await (const { name, bytes } of from.asides())
    await database.writing((db) =>
      db.run('INSERT INTO aside (session, name, bytes) VALUES (?, ?, ?)', key, name, bytes),
    )
  const folder = spillPath(spill, id, key)
  for await (const { name, bytes } of from.spilled()) {
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
    await writeBytes(join(folder, name), bytes, 'wx')
  }
  const posted = await from.posted()
  await database.writing((db) => {
    for (const item of posted) insertPost(db, key, item)
  })
  const show = () =>
    orFailure(within, `could not show session ${id}`, () =>
      database.writing((db) => {
        if (rowOf(db, id)) throw new FailureError(exists(id))
        db.run(`UPDATE session SET state = 'live' WHERE key = ?`, key)
      }),
    )
  return { ok: true, value: { ...contentsOf(within, { key, id }), show } }
}

/** The mover holds the original, so nobody else is about to finish one of these. */
async function clearArrivals({ database, spill }: Within, id: string): Promise<void> {
  const keys = await database.writing((db) => {
    const rows = db.all(`SELECT key FROM session WHERE id = ? AND state = 'arriving'`, id)
    const found = rows.map((row) => numberOf(row['key']))
    for (const key of found) deleteSession(db, key)
    return found
  })
  for (const key of keys) await removeFolder(spillPath(spill, id, key))
}

function arrivingRow(db: Connection, { id, cwd, epoch, changed }: Pack): number {
  db.run(
    `INSERT INTO session (id, cwd, epoch, renewed, changed, bytes, lines, log, state)
     VALUES (?, ?, ?, 0, ?, 0, 0, 1, 'arriving')`,
    id,
    cwd,
    epoch,
    Math.round(changed),
  )
  return numberOf(db.one('SELECT last_insert_rowid() AS key')?.['key'])
}

/** Line by line as they stand, damaged ones too; what follows the last line end is the tail. */
async function copyLog({ database }: Within, key: number, from: Pack): Promise<void> {
  let rest: Buffer = Buffer.alloc(0)
  let [lines, bytes] = [0, 0]
  for await (const block of from.log()) {
    for (let at = 0; at < block.length; at += AT_ONCE) {
      const all: Buffer = Buffer.concat([rest, block.subarray(at, at + AT_ONCE)])
      const end = all.lastIndexOf(NEWLINE) + 1
      rest = all.subarray(end)
      bytes += end
      lines = await database.writing((db) => insertLines(db, { key, from: lines }, all.subarray(0, end)))
    }
  }
  const values = [lines, bytes + rest.length, rest.length > 0 ? rest : null, key] as const
  await database.writing((db) => db.run('UPDATE session SET lines = ?, bytes = ?, tail = ? WHERE key = ?', ...values))
}

/** @returns the position after the last. */
function insertLines(
  db: Connection,
  { key, from }: { readonly key: number; readonly from: number },
  whole: Buffer,
): number {
  let position = from
  for (let start = 0; start < whole.length; ) {
    const end = whole.indexOf(NEWLINE, start)
    insertLine(db, placeOf(key, position++), whole.subarray(start, end))
    start = end + 1
  }
  return position
}
