import { type Damage, type Failure, foreseen, type Result, readLog, redactLog, type SessionEvent } from '@rein/session'
import { nodeHasher } from '../hasher.ts'
import type { SessionStore } from '../session-store.ts'
import { archive, type Cover, type Packed } from './archive-writer.ts'
import { archivedName } from './manifest.ts'
import { blobsOf } from './pictures.ts'
import { type Removed, type Sharing, sharingNotes } from './sharing.ts'
import { spilledOf } from './spilled.ts'
import { hiddenBytes } from './text-bytes.ts'

/** What is exported from where; without `sharing` byte for byte, with it only what may be shown to others. */
export interface ExportOptions {
  readonly store: SessionStore
  /** Version of rein, for the manifest. */
  readonly rein: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** What is removed, given what the log says of its machines; undefined exports the session exactly. */
  readonly sharing: ((events: readonly SessionEvent[]) => Sharing) | undefined
}

/** A session read for export; nothing of it is written. It may be held: what was written by now is exported. */
export interface Exported {
  readonly id: string
  readonly exact: boolean
  readonly events: readonly SessionEvent[]
  /** What could not be read, beyond a last line that is still being written. */
  readonly damage: readonly Damage[]
  readonly notes: readonly string[]
  /** So far: the files of an archive are looked through while it is written. */
  removed(): Removed
  /** In words, so far: files that an archive cannot hold. */
  left(): readonly string[]
  blob(sha256: string): Promise<Uint8Array | undefined>
  /** Everything as one JSON object, one event a line. */
  json(): Iterable<string>
  /** Log, blobs, damaged lines, whole outputs and a manifest with the hash of each. */
  zip(): AsyncIterable<Uint8Array>
}

/** Fails as the store and `readLog` do. */
export async function exportSession(id: string, options: ExportOptions): Promise<Result<Exported>> {
  try {
    const read = await readWhole(options.store, id)
    return read.ok ? { ok: true, value: exported({ id, ...read.value }, options) } : read
  } catch (error) {
    return foreseen(error)
  }
}

interface Whole {
  /** Up to the end of the last whole line. */
  readonly raw: Uint8Array
  readonly events: readonly SessionEvent[]
  /** Of each event; none when the log is of an older format. */
  readonly lines: readonly string[]
  readonly damage: readonly Damage[]
}

/** Read once: a session that runs goes on growing. */
async function readWhole(store: SessionStore, id: string): Promise<Result<Whole>> {
  const bytes = await store.read(id)
  if (!bytes.ok) return bytes
  const blocks: Uint8Array[] = []
  for await (const block of bytes.value) blocks.push(block.slice())
  const whole = Buffer.concat(blocks)
  const lines: string[] = []
  const log = await readLog(one(whole), { hasher: nodeHasher, onLine: (line) => lines.push(line) })
  if (!log.ok) return log
  const { events, damage, openEnd } = log.value
  if (events.length === 0) return { ok: false, failure: empty(id) }
  if (!openEnd) return { ok: true, value: { raw: whole, events, lines, damage } }
  const raw = whole.subarray(0, whole.lastIndexOf(10) + 1)
  // The reader's own mark of the line that is being written is not in the log.
  return { ok: true, value: { raw, events: events.slice(0, -1), lines: lines.slice(0, -1), damage: [] } }
}

const empty = (id: string): Failure => ({
  code: 'SESSION_DAMAGED',
  message: `the log of session ${id} holds no event that can be read`,
  next: 'There is nothing to export.',
})

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

function exported(whole: Whole & { readonly id: string }, options: ExportOptions): Exported {
  const { store, rein, now } = options
  const { id, damage } = whole
  const time = now()
  const sharing = options.sharing?.(whole.events)
  const log = sharing ? redactLog(whole, { hasher: nodeHasher, hide: sharing.hide, time }) : whole
  const removed = (): Removed => sharing?.removed() ?? {}
  const notes = sharing ? sharingNotes : []
  const left: string[] = []
  const cover = (): Cover => {
    const head = log.events.at(-1)?.hash ?? ''
    const exact = sharing === undefined
    return {
      rein,
      session: id,
      exact,
      head,
      events: log.events.length,
      exported: time,
      removed: removed(),
      notes: [...notes, ...left],
    }
  }
  const raw = sharing ? linesOf(log.lines) : [whole.raw]
  return {
    id,
    exact: sharing === undefined,
    events: log.events,
    damage,
    notes,
    removed,
    left: () => left,
    blob: (sha256) => store.blobs(id).get(sha256),
    json: () => json({ ...cover(), damage }, log.lines),
    zip: () => {
      left.length = 0
      return archive(packed({ id, raw, events: log.events, store, hide: sharing?.hide, left }), cover)
    },
  }
}

/** Lines as bytes, some thousand at a time. */
function* linesOf(lines: readonly string[]): Generator<Uint8Array> {
  for (let from = 0; from < lines.length; from += 1000)
    yield Buffer.from(`${lines.slice(from, from + 1000).join('\n')}\n`)
}

function* json(cover: Cover & { readonly damage: readonly Damage[] }, lines: readonly string[]): Generator<string> {
  const { exact, events: count, ...rest } = cover
  const head = { format: 'rein-session', version: 1, redacted: !exact, verifiable: exact, ...rest, count }
  yield `${JSON.stringify(head).slice(0, -1)},"events":[\n`
  for (const [index, line] of lines.entries()) yield index === 0 ? line : `,\n${line}`
  yield '\n]}\n'
}

interface Packing {
  readonly id: string
  readonly raw: Iterable<Uint8Array>
  readonly events: readonly SessionEvent[]
  readonly store: SessionStore
  readonly hide: ((text: string) => string) | undefined
  /** Gets, in words, each file that does not go into an archive. */
  readonly left: string[]
}

async function* packed(packing: Packing): AsyncGenerator<Packed> {
  const { id, raw, events, store } = packing
  yield { name: 'log.jsonl', bytes: raw }
  for (const blob of blobsOf(events)) {
    const bytes = /^[0-9a-f]{64}$/.test(blob) ? await store.blobs(id).get(blob) : undefined
    if (bytes) yield { name: `blobs/${blob}`, bytes: [bytes] }
  }
  for await (const { name, bytes } of store.beside(id, 'aside'))
    yield* filed(packing, { part: 'aside', name }, async () => bytes)
  const outputs = await spilledOf(store, id)
  for (const name of await outputs.names()) yield* filed(packing, { part: 'spill', name }, () => outputs.read(name))
}

/** A file under its own name, unless an archive takes none such: then that is told. */
async function* filed(
  { hide, left }: Packing,
  { part, name }: { readonly part: 'aside' | 'spill'; readonly name: string },
  read: () => Promise<Uint8Array>,
): AsyncGenerator<Packed> {
  const safe = hide ? hide(name) : name
  const path = `${part}/${safe}`
  const what = part === 'aside' ? 'Damaged lines' : 'A whole output'
  if (archivedName.test(path)) {
    const bytes = await read()
    yield { name: path, bytes: [hide ? hiddenBytes(bytes, hide) : bytes] }
  } else if (safe !== name) left.push(`${what} called ${safe} left out: the name itself held what is removed.`)
  else left.push(`${what} called ${JSON.stringify(name)} left out: no archive has a file of such a name.`)
}
