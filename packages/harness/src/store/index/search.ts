import { folded } from './folded.ts'
import type { Indexed } from './indexed.ts'
import type { ListedSession } from './listing.ts'
import type { Term } from './query.ts'
import { type Rows, span } from './rows.ts'
import { type Piece, snippetOf, termsIn } from './snippet.ts'
import { passagesOf, takeTexts, textless } from './texts.ts'

/** A place in a session where something that was looked for is said. */
export interface Place {
  /** The event. */
  readonly seq: number
  /** `person`, `assistant`, or the name of the tool whose result it is. */
  readonly who: string
  readonly snippet: readonly Piece[]
}

/** A session that fits what was looked for. */
export interface FoundSession {
  readonly session: ListedSession
  /** The best first; empty when only its id, title or directory was met. */
  readonly places: readonly Place[]
}

export interface SearchOptions {
  /** Milliseconds since 1970: newer sessions stand before older ones that fit as well. */
  readonly now: number
  /** Sessions given at most, and places in each. */
  readonly sessions: number
  readonly places: number
  readonly signal?: AbortSignal
  readonly progress?: (done: number, of: number) => void
}

/** How well one session fits. */
interface Fit {
  readonly session: ListedSession
  readonly score: number
  /** Its passages, when the index has none of them. */
  readonly read: readonly Said[] | undefined
}

interface Said {
  readonly seq: number
  readonly who: string
  readonly text: string
}

/** What a match counts: in title, id or directory, and in a text, there with its rank from 0 to `mostRank` on top. */
const named = 2
const inText = 0.5
const mostRank = 5
const dayMs = 86_400_000
/** After so many days half of what recency gives is gone. */
const halfLife = 30

/** Sessions that meet every term somewhere: in id, title, directory or any message or result. The best first. */
export async function found(
  from: Indexed,
  {
    sessions,
    terms,
    options,
  }: { readonly sessions: readonly ListedSession[]; readonly terms: readonly Term[]; readonly options: SearchOptions },
): Promise<{ readonly found: readonly FoundSession[]; readonly total: number }> {
  const { rows } = from
  const unread = await broughtIn(from, sessions, options)
  const counts = rows ? terms.map((term) => from.attempt(() => hitsOf(rows, term)) ?? new Map<string, number>()) : []
  const fits: Fit[] = []
  for (const session of sessions) {
    const read = unread.has(session.entry.id) ? await passagesOf(from, session.entry) : undefined
    const weights = terms.map((term, at) => {
      const said = read ? readWeight(read, term) : (counts[at]?.get(session.entry.id) ?? 0)
      return said + (isNamed(session, term) ? named : 0)
    })
    if (weights.some((weight) => weight === 0)) continue
    const age = Math.max(0, options.now - session.entry.changed) / dayMs
    const recency = 1 / (1 + age / halfLife)
    // Kept for later only where the index cannot give it again.
    fits.push({ session, score: weights.reduce((sum, weight) => sum + weight, 0) * (0.25 + 0.75 * recency), read })
  }
  const best = fits.sort((a, b) => b.score - a.score || b.session.entry.changed - a.session.entry.changed)
  const shown = best.slice(0, options.sessions)
  const places = shown.map((fit) => ({
    session: fit.session,
    places: placesOf(from, fit, { terms, most: options.places }),
  }))
  return { found: places, total: best.length }
}

/** Bring the texts in. @returns the sessions whose texts the index does not have. */
async function broughtIn(
  from: Indexed,
  sessions: readonly ListedSession[],
  { signal, progress }: SearchOptions,
): Promise<ReadonlySet<string>> {
  const { rows } = from
  const entries = sessions.map(({ entry }) => entry)
  const missing =
    (rows && from.attempt(() => textless(rows, entries))) ?? entries.filter(({ state }) => state !== 'broken')
  const how = { ...(signal && { signal }), ...(progress && { progress }) }
  return rows ? takeTexts({ ...from, rows }, missing, how) : new Set(missing.map(({ id }) => id))
}

const isNamed = ({ entry, title }: ListedSession, { text }: Term): boolean =>
  [entry.id, title, entry.cwd ?? ''].some((each) => folded(each).includes(text))

/** How well each session meets a term: better the rarer the term, a person's and a model's words before results. */
function hitsOf(rows: Rows, { match, text }: Term): ReadonlyMap<string, number> {
  const sql =
    match === undefined
      ? 'SELECT at >> 32 AS n, 1.0 AS weight FROM passage WHERE instr(text, ?) > 0 GROUP BY 1'
      : `WITH hit AS MATERIALIZED (SELECT rowid AS at, -bm25(words, 4.0, 1.0) AS weight FROM words WHERE words MATCH ?)
         SELECT at >> 32 AS n, max(weight) AS weight FROM hit GROUP BY 1`
  const hits = rows.statement(
    `SELECT session.id AS id, hits.weight AS weight FROM (${sql}) AS hits JOIN session USING (n)`,
  )
  return new Map(
    hits
      .all(match ?? text)
      .map(({ id, weight }) => [String(id), inText + Math.max(0, Math.min(mostRank, Number(weight)))]),
  )
}

function readWeight(read: readonly Said[], term: Term): number {
  return read.some(({ text }) => termsIn(text, [term]).length > 0) ? inText : 0
}

function placesOf(
  { rows, attempt }: Indexed,
  { session, read }: Fit,
  { terms, most }: { readonly terms: readonly Term[]; readonly most: number },
): readonly Place[] {
  const said = read ?? (rows && attempt(() => saidIn(rows, { id: session.entry.id, terms, most: most * 4 }))) ?? []
  const met = said.map((each) => ({ ...each, met: termsIn(each.text, terms).length }))
  // A stable order: of those that meet as many, the better, and in a log that was read, the earlier.
  const best = met.filter((each) => each.met > 0).sort((a, b) => b.met - a.met)
  return best.slice(0, most).flatMap(({ seq, who, text }) => {
    const snippet = snippetOf(text, terms)
    return snippet ? [{ seq, who, snippet }] : []
  })
}

function saidIn(
  rows: Rows,
  { id, terms, most }: { readonly id: string; readonly terms: readonly Term[]; readonly most: number },
): readonly Said[] {
  const n = Number(rows.statement('SELECT n FROM session WHERE id = ?').get(id)?.['n'] ?? -1)
  const { from, to } = span(n)
  const match = terms
    .flatMap((term) => term.match ?? [])
    .map((each) => `(${each})`)
    .join(' OR ')
  const places = match === '' ? [] : rows.statement(byRank).all(match, from, to, most)
  const plain = terms.flatMap((term) =>
    term.match === undefined ? rows.statement(bySign).all(from, to, term.text, most) : [],
  )
  const said = [...places, ...plain].map(({ at, who, text }) => ({
    seq: Number(at) - from,
    who: String(who),
    text: String(text),
  }))
  return [...new Map(said.map((each) => [each.seq, each])).values()]
}

const byRank = `SELECT words.rowid AS at, who, text FROM words JOIN passage ON passage.at = words.rowid
  WHERE words MATCH ? AND words.rowid BETWEEN ? AND ? ORDER BY bm25(words, 4.0, 1.0) LIMIT ?`
const bySign = 'SELECT at, who, text FROM passage WHERE at BETWEEN ? AND ? AND instr(text, ?) > 0 ORDER BY at LIMIT ?'
