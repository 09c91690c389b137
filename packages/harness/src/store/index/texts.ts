import { FailureError, type SessionEntry } from '@rein/session'
import type { Indexed } from './indexed.ts'
import { type LogLine, logLine } from './log-line.ts'
import { type Passage, passageOf } from './passage.ts'
import { beginning, type Mark, readOn } from './read-on.ts'
import { markOf, perSession, type Rows } from './rows.ts'
import { indexText } from './tokens.ts'

/** What names the log a text was taken from: the same log has the same. */
const stamp = ({ bytes, changed }: SessionEntry): string => `${bytes}:${changed}`

/** Which of these sessions have texts in the index that are not of their logs as they are now. */
export function textless(rows: Rows, entries: readonly SessionEntry[]): readonly SessionEntry[] {
  const found = rows.statement('SELECT id, text_of FROM session').all()
  const stamps = new Map(found.map(({ id, text_of }) => [String(id), String(text_of)]))
  return entries.filter((entry) => entry.state !== 'broken' && stamps.get(entry.id) !== stamp(entry))
}

/** Characters written at once: what an interrupted build loses, and what makes it fast. */
const atOnce = 1 << 22

/**
 * Take over what logs say since they were last looked at, a stretch at a time: whoever is interrupted goes on there.
 * @returns the sessions whose texts the index did not take, because another process takes them over right now or it
 * cannot be written: they have to be read. A log the disk does not give is none of them: nothing would.
 */
export async function takeTexts(
  from: Indexed & { readonly rows: Rows },
  entries: readonly SessionEntry[],
  { signal, progress }: { readonly signal?: AbortSignal; readonly progress?: (done: number, of: number) => void },
): Promise<ReadonlySet<string>> {
  const batch = new Batch(from)
  for (const [at, entry] of entries.entries()) {
    signal?.throwIfAborted()
    try {
      await takeText(from, { entry, batch })
    } catch (error) {
      if (!(error instanceof FailureError)) throw error
    }
    progress?.(at + 1, entries.length)
  }
  batch.write()
  return batch.refused
}

async function takeText(
  { store, attempt, rows }: Indexed & { readonly rows: Rows },
  { entry, batch }: { readonly entry: SessionEntry; readonly batch: Batch },
): Promise<void> {
  const { id } = entry
  const sql = 'SELECT n, text_bytes, text_head FROM session WHERE id = ?'
  const found = attempt(() => rows.statement(sql).get(id))
  if (!found) {
    batch.refused.add(id)
    return
  }
  const n = Number(found['n'])
  let mark = markOf(found['text_bytes'], found['text_head'])
  for await (const { lines, mark: next, anew } of readOn(store, entry, mark)) {
    const passages = lines.flatMap((text) => passageIn(logLine(text)))
    batch.add({ id, n, passages, anew, before: mark, next, stamp: undefined })
    mark = next
  }
  batch.add({ id, n, passages: [], anew: false, before: mark, next: mark, stamp: stamp(entry) })
}

interface Step {
  readonly id: string
  readonly n: number
  readonly passages: readonly Passage[]
  /** What is there of this session goes first. */
  readonly anew: boolean
  /** Where this was read from: when the index is elsewhere now, another process was faster. */
  readonly before: Mark
  readonly next: Mark
  /** Given with the last step of a log. */
  readonly stamp: string | undefined
}

/** Writes of many sessions in one: each alone would cost the index as much. */
class Batch {
  readonly refused = new Set<string>()
  readonly #from: Indexed & { readonly rows: Rows }
  #steps: Step[] = []
  #size = 0

  constructor(from: Indexed & { readonly rows: Rows }) {
    this.#from = from
  }

  add(step: Step): void {
    this.#steps.push(step)
    this.#size += step.passages.reduce((sum, { text }) => sum + text.length, 1000)
    if (this.#size >= atOnce) this.write()
  }

  write(): void {
    const steps = this.#steps
    this.#steps = []
    this.#size = 0
    if (steps.length === 0) return
    const late = new Set<string>()
    const { rows, attempt } = this.#from
    const work = (): true => {
      rows.transaction(() => {
        for (const step of steps)
          if (!this.refused.has(step.id) && !late.has(step.id) && !applied(rows, step)) late.add(step.id)
      })
      return true
    }
    const taken = attempt(work) === true
    for (const id of taken ? late : steps.map((step) => step.id)) this.refused.add(id)
  }
}

function applied(rows: Rows, { n, passages, anew, before, next, stamp: done }: Step): boolean {
  const now = rows.statement('SELECT text_bytes, text_head FROM session WHERE n = ?').get(n)
  if (Number(now?.['text_bytes'] ?? -1) !== before.bytes || now?.['text_head'] !== before.head) return false
  if (anew) rows.dropTexts(n)
  for (const passage of passages) put(rows, n, passage)
  rows.statement('UPDATE session SET text_bytes = ?, text_head = ? WHERE n = ?').run(next.bytes, next.head, n)
  if (done !== undefined) rows.statement('UPDATE session SET text_of = ? WHERE n = ?').run(done, n)
  return true
}

const passageIn = (line: LogLine | undefined): readonly Passage[] => {
  const passage = line && passageOf(line)
  return passage ? [passage] : []
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
