/** Counted up whenever the tables, or what is written in them, change: an older index is built anew. */
export const version = 3

/**
 * `session`: one row a session. `facts_*` and `text_*` say up to where its log was read for either.
 * `facts` stands last, so that a list that needs none of it does not read it.
 * `passage`: what one event says; `at` is the session's `n` times 2^32 plus the event's seq.
 * `words`: the same, for finding, without a second copy of it.
 */
export const schema = `
DROP TABLE IF EXISTS session;
DROP TABLE IF EXISTS passage;
DROP TABLE IF EXISTS words;
CREATE TABLE session (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  store TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  changed REAL NOT NULL,
  cwd TEXT,
  gone INTEGER,
  title TEXT NOT NULL,
  outcome TEXT,
  damage INTEGER NOT NULL,
  format INTEGER,
  whole INTEGER NOT NULL,
  facts_bytes INTEGER NOT NULL,
  facts_head TEXT NOT NULL,
  text_of TEXT NOT NULL DEFAULT '',
  text_bytes INTEGER NOT NULL DEFAULT 0,
  text_head TEXT NOT NULL DEFAULT '',
  facts TEXT NOT NULL
);
CREATE TABLE passage (at INTEGER PRIMARY KEY, who TEXT NOT NULL, text TEXT NOT NULL);
CREATE VIRTUAL TABLE words USING fts5(said, result, content='', contentless_delete=1, tokenize='ascii');
`
