import type { Connection } from './connection.ts'
import { SqlTrouble } from './trouble.ts'

/** `PRAGMA application_id` of a database of sessions: "rein". */
const APPLICATION = 0x7265_696e
/** `PRAGMA user_version`; a higher one was made by a later version of rein. */
const VERSION = 1

/**
 * A session is a row, its lines stand in `line` without their line ends, by rowid: the session's key times 2^32 plus
 * the position. Lines of one session lie together, appended in order. Bytes after the last line end are the row's `tail`.
 * Times are milliseconds since 1970.
 */
const TABLES = `
  CREATE TABLE session (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    cwd TEXT,
    epoch INTEGER NOT NULL,
    host TEXT, pid INTEGER, started TEXT,
    renewed INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    lines INTEGER NOT NULL,
    tail BLOB,
    log INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('live', 'trash', 'arriving')),
    trashed INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX live_session ON session (id) WHERE state = 'live';
  CREATE TABLE line (at INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
  CREATE TABLE aside (session INTEGER NOT NULL, name TEXT NOT NULL, bytes BLOB NOT NULL, UNIQUE (session, name)) STRICT;
  CREATE TABLE blob (session INTEGER NOT NULL, sha256 TEXT NOT NULL, bytes BLOB NOT NULL, UNIQUE (session, sha256)) STRICT;
  CREATE TABLE post (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL, id TEXT NOT NULL, item TEXT,
    UNIQUE (session, id)
  ) STRICT;
  CREATE INDEX waiting_post ON post (session, number) WHERE item IS NOT NULL;
`

/**
 * Set a connection up. To write, the tables are made where there are none; several processes may do so at once: one of
 * them makes them. To read, nothing is written, so that a process stopped while it writes is in nobody's way.
 * @returns whether there are tables.
 * @throws SqlTrouble for a database of something else, or of a later version: nothing of it is touched.
 */
export function prepareSchema(db: Connection, to: 'read' | 'write'): boolean {
  const ready = isReady(db)
  if (!ready && to === 'read') return false
  // What is deleted is gone from the file as well, and its room is given back when the trash is emptied.
  if (!ready) db.exec('PRAGMA auto_vacuum = INCREMENTAL')
  db.exec('PRAGMA journal_mode = WAL')
  db.exec('PRAGMA synchronous = FULL')
  db.exec('PRAGMA secure_delete = ON')
  db.exec('PRAGMA journal_size_limit = 67108864')
  if (!ready) db.transact(() => isReady(db) || makeTables(db))
  return true
}

function makeTables(db: Connection): void {
  db.exec(TABLES)
  db.exec(`PRAGMA application_id = ${APPLICATION}`)
  db.exec(`PRAGMA user_version = ${VERSION}`)
}

function isReady(db: Connection): boolean {
  const version = db.pragma('user_version')
  const application = db.pragma('application_id')
  if (application === APPLICATION && version === VERSION) return true
  if (application === APPLICATION) throw new SqlTrouble('later', `it has version ${version} of the tables`)
  if (version === 0 && application === 0 && db.one('SELECT name FROM sqlite_schema LIMIT 1') === undefined) return false
  throw new SqlTrouble('foreign', 'it is the database of another program')
}
