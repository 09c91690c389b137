import { FailureError, type SessionEntry } from '@rein/session'
import { type LogFacts, noFacts } from './facts.ts'
import { type Indexed, save } from './indexed.ts'
import { endsFacts, wholeFacts } from './look.ts'
import { beginning } from './read-on.ts'
import type { Row, RowHead, Rows } from './rows.ts'

/** One session of a list. */
export interface ListedSession extends RowHead {
  /** Everything known, where it was asked for. */
  readonly facts?: LogFacts
}

export interface ListOptions {
  /** Give `facts` too. */
  readonly facts: boolean
  /** How long logs may be read whole, in milliseconds; of the rest only the ends are. Absent: until all were read. */
  readonly withinMs?: number
  readonly signal?: AbortSignal
  /** Told how many of the logs that changed were read. */
  readonly progress?: (done: number, of: number) => void
}

/** Rows written at once: what an interrupted list loses, and how long another process waits. */
const atOnce = 128

/** Brings the rows of the index up to date and gives them, newest first. Without rows everything is read. */
export async function listed(from: Indexed, options: ListOptions): Promise<ListedSession[]> {
  const { rows } = from
  const heads = rows?.heads() ?? new Map<string, RowHead>()
  const entries = await from.store.list({ get: (id) => heads.get(id)?.entry })
  const until = options.withinMs === undefined ? Number.POSITIVE_INFINITY : from.clock() + options.withinMs
  const { stale, learnt, met } = compared(entries, heads, until > from.clock())
  const read = new Map<string, Row>()
  const unsaved: Row[] = []
  for (const entry of stale) {
    options.signal?.throwIfAborted()
    const row = await rowOf(from, { entry, head: heads.get(entry.id), whole: from.clock() < until })
    read.set(entry.id, row)
    unsaved.push(row)
    options.progress?.(read.size, stale.length)
    if (unsaved.length >= atOnce) save(from, { put: unsaved.splice(0) })
  }
  save(from, { put: unsaved, learnt, drop: met === heads.size ? [] : absent(heads, entries) })
  const facts = options.facts ? rows?.allFacts() : undefined
  return entries.map((entry) => {
    const now = read.get(entry.id)
    const head = heads.get(entry.id)
    // Most are as they were: nothing is made of them anew.
    if (!options.facts && !now && head?.entry === entry) return head
    return shownOf(now?.entry ?? entry, { read: now, head, facts, options })
  })
}

/** What of the entries is not in the index as it is, and how many are in it at all. */
function compared(entries: readonly SessionEntry[], heads: ReadonlyMap<string, RowHead>, time: boolean) {
  const stale: SessionEntry[] = []
  const learnt: SessionEntry[] = []
  let met = 0
  for (const entry of entries) {
    const head = heads.get(entry.id)
    if (head) met++
    if (!isFresh(head, entry, time)) stale.push(entry)
    else if (head && head.entry.gone !== entry.gone) learnt.push(entry)
  }
  return { stale, learnt, met }
}

function absent(heads: ReadonlyMap<string, RowHead>, entries: readonly SessionEntry[]): readonly string[] {
  const there = new Set(entries.map(({ id }) => id))
  return [...heads.keys()].filter((id) => !there.has(id))
}

/** What was read of the ends alone is read whole when there is time. */
const isFresh = (head: RowHead | undefined, { bytes, changed, state }: SessionEntry, time: boolean): boolean =>
  head !== undefined &&
  head.entry.bytes === bytes &&
  head.entry.changed === changed &&
  (head.whole || !time || state === 'broken')

async function rowOf(
  { store, rows }: Indexed,
  of: { readonly entry: SessionEntry; readonly head: RowHead | undefined; readonly whole: boolean },
): Promise<Row> {
  const { entry, head } = of
  const name = (await store.whereIs?.(entry.id)) ?? head?.store ?? store.name
  const base = { entry, store: name }
  const unread = { ...base, facts: null, whole: false, mark: beginning }
  if (entry.state === 'broken') return unread
  try {
    return { ...base, ...(await readFacts(store, rows, of)) }
  } catch (error) {
    if (!(error instanceof FailureError)) throw error
    // A disk that refuses in the middle: it is tried again with the next list.
    return { ...unread, entry: { ...entry, state: 'broken' } }
  }
}

async function readFacts(
  store: Indexed['store'],
  rows: Rows | undefined,
  of: { readonly entry: SessionEntry; readonly whole: boolean },
): Promise<Pick<Row, 'facts' | 'whole' | 'mark'>> {
  const { entry } = of
  const before = rows?.row(entry.id)
  // What was read whole is read on: that is little, however long the log is.
  if (of.whole || before?.whole) {
    const known = await wholeFacts(store, entry, before?.whole ? before : undefined)
    return { ...known, whole: true }
  }
  return { facts: (await endsFacts(store, entry)) ?? null, whole: false, mark: beginning }
}

function shownOf(
  entry: SessionEntry,
  of: {
    readonly read: Row | undefined
    readonly head: RowHead | undefined
    readonly facts: ReadonlyMap<string, LogFacts> | undefined
    readonly options: ListOptions
  },
): ListedSession {
  const { read, head, options } = of
  if (!read && head) {
    const { store, title, outcome, damage, format, whole } = head
    const shown = { entry, store, title, outcome, damage, format, whole }
    return options.facts ? { ...shown, facts: of.facts?.get(entry.id) ?? noFacts } : shown
  }
  const facts = read?.facts ?? noFacts
  const { title, outcome, damage, format } = facts
  const shown = { entry, store: read?.store ?? '', title, outcome, damage, format, whole: read?.whole ?? false }
  return options.facts ? { ...shown, facts } : shown
}
