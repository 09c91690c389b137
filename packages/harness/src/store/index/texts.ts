import { FailureError, type SessionEntry } from '@rein/session'
import { type LogLine, logLine } from './log-line.ts'
import { type Passage, passageOf } from './passage.ts'
import { beginning, type Mark, readOn } from './read-on.ts'
import { markOf, perSession, type Rows, span } from './rows.ts'
import type { Indexed } from './session-index.ts'
import { indexText } from './tokens.ts'

/** What names the log a text was taken from: the same log has the same. */
const stamp = ({ bytes, changed }: SessionEntry): string => `${bytes}:${changed}`

/** Which of these sessions have texts in the index that are not of their logs as they are now. */
export function textless(rows: Rows, entries: readonly SessionEntry[]): readonly SessionEntry[] {
  const found = rows.statement('SELECT id, text_of FROM session').all()
  const stamps = new Map(found.map(({ id, text_of }) => [String(id), String(text_of)]))
  return entries.filter((entry) => entry.state !== 'broken' && stamps.get(entry.id) !== stamp(entry))
}

/**
 * Take over what a log says since it was last looked at, a stretch at a time: whoever is interrupted goes on there.
 * @returns false when another process does the same right now, or the index takes nothing: then it has to be read.
 */
export async function takeTexts({ store, attempt }: Indexed, rows: Rows, entry: SessionEntry): Promise<boolean> {
  const found = rows.statement('SELECT n, text_bytes, text_head FROM session WHERE id = ?').get(entry.id)
  if (!found) return false
  const n = Number(found['n'])
  let mark = markOf(found['text_bytes'], found['text_head'])
  for await (const { lines, mark: next, anew } of readOn(store, entry, mark)) {
    const passages = lines.flatMap((text) => passageIn(logLine(text)))
    const taken = attempt(() => write(rows, { n, passages, from: anew ? undefined : mark, before: mark, next }))
    if (taken !== true) return false
    mark = next
  }
  const done = (): boolean => {
    rows.statement('UPDATE session SET text_of = ? WHERE n = ?').run(stamp(entry), n)
    return true
  }
  return attempt(done) === true
}

export const passageIn = (line: LogLine | undefined): readonly Passage[] => {
  const passage = line && passageOf(line)
  return passage ? [passage] : []
}

interface Step {
  readonly n: number
  readonly passages: readonly Passage[]
  /** Undefined: what is there of this session goes first. */
  readonly from: Mark | undefined
  readonly before: Mark
  readonly next: Mark
}

function write(rows: Rows, { n, passages, from, before, next }: Step): boolean {
  let written = false
  rows.transaction(() => {
    const now = rows.statement('SELECT text_bytes, text_head FROM session WHERE n = ?').get(n)
    if (Number(now?.['text_bytes'] ?? -1) !== before.bytes || now?.['text_head'] !== before.head) return
    if (!from) {
      const { from: first, to } = span(n)
      rows.statement('DELETE FROM passage WHERE at BETWEEN ? AND ?').run(first, to)
      rows.statement('DELETE FROM words WHERE rowid BETWEEN ? AND ?').run(first, to)
    }
    for (const passage of passages) put(rows, n, passage)
    rows.statement('UPDATE session SET text_bytes = ?, text_head = ? WHERE n = ?').run(next.bytes, next.head, n)
    written = true
  })
  return written
}

function put(rows: Rows, n: number, { seq, who, kind, text }: Passage): void {
  if (seq >= perSession) return
  const at = n * perSession + seq
  const words = indexText(text)
  rows.statement('INSERT OR REPLACE INTO passage (at, who, text) VALUES (?, ?, ?)').run(at, who, text)
  const sql = 'INSERT OR REPLACE INTO words (rowid, said, result) VALUES (?, ?, ?)'
  rows.statement(sql).run(at, kind === 'said' ? words : '', kind === 'said' ? '' : words)
}

/** What a log says, read from the log itself. */
export async function passagesOf({ store }: Indexed, entry: SessionEntry): Promise<readonly Passage[]> {
  const passages: Passage[] = []
  try {
    for await (const { lines } of readOn(store, entry, beginning))
      for (const text of lines) passages.push(...passageIn(logLine(text)))
  } catch (error) {
    // What the disk gave before it refused is looked through.
    if (!(error instanceof FailureError)) throw error
  }
  return passages
}
