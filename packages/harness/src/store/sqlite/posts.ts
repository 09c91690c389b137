import { faultOfPosted, type Posted } from '@rein/session'
import { type Connection, numberOf, textOf } from './connection.ts'

/** Exact for every string, lone surrogates included, which the text of a database is not. */
const idOf = (id: string): string => JSON.stringify(id)

/** Posting an id again does nothing, also after it was settled: its row stays, without the item. */
export function insertPost(db: Connection, session: number, item: Posted): void {
  db.run(
    'INSERT OR IGNORE INTO post (session, id, item) VALUES (?, ?, ?)',
    session,
    idOf(item.id),
    JSON.stringify(item),
  )
}

/** What was posted and not settled, in the order of posting. */
export function waitingPosts(db: Connection, session: number): readonly Posted[] {
  const rows = db.all('SELECT item FROM post WHERE session = ? AND item IS NOT NULL ORDER BY number', session)
  return rows.flatMap((row) => parsedItem(textOf(row['item']) ?? ''))
}

/** The number of the newest item that waits; 0: none does. */
export function newestPost(db: Connection, session: number): number {
  const row = db.one('SELECT coalesce(max(number), 0) AS n FROM post WHERE session = ? AND item IS NOT NULL', session)
  return numberOf(row?.['n'])
}

/** Unknown ids are taken as well: an item that is in the log already must not come in by a late post. */
export function settlePosts(db: Connection, session: number, ids: readonly string[]): void {
  for (const id of ids) {
    db.run(
      'INSERT INTO post (session, id, item) VALUES (?, ?, NULL) ON CONFLICT (session, id) DO UPDATE SET item = NULL',
      session,
      idOf(id),
    )
  }
}

/** Anybody can write to the database: what is no item is passed over. */
function parsedItem(text: string): readonly Posted[] {
  try {
    const value: unknown = JSON.parse(text)
    return isPosted(value) ? [value] : []
  } catch (cause) {
    if (cause instanceof SyntaxError) return []
    throw cause
  }
}

const isPosted = (value: unknown): value is Posted => faultOfPosted(value) === undefined
