import {
  type Failure,
  FailureError,
  foreseen,
  fork,
  type Holder,
  idOf,
  inbox,
  type Lease,
  type Ports,
  permission,
  type ReadLog,
  type Result,
  readLog,
  removalOf,
  repair,
  type SessionEvent,
  SessionLog,
  waitingIn,
} from '@rein/session'
import { nodeHasher } from '../hasher.ts'
import type { SessionStore } from '../session-store.ts'
import { type Archive, type ArchiveLimits, openArchive } from './archive-reader.ts'
import { type Manifest, notArchive } from './manifest.ts'
import { blobsOf } from './pictures.ts'
import { joinedLines } from './text-bytes.ts'

/** Where an archive is imported to, and who writes while it is. */
export interface ImportOptions {
  /** The store it becomes a session of. */
  readonly store: SessionStore
  readonly ports: Ports
  readonly holder: Holder
  /** A new id for it, as a fork of the session that was exported. */
  readonly as?: string
  /** Of the archive's size, in bytes and files; by default those of `ArchiveLimits`. */
  readonly limits?: ArchiveLimits
}

/** What became of an archive, for the person. */
export interface Imported {
  readonly id: string
  readonly manifest: Manifest
  /** Directory the session worked in, where it was exported. */
  readonly cwd: string
  /** Damaged places that are declared in the imported log. */
  readonly damage: number
  /** Pictures the log names and the archive does not hold. */
  readonly missing: number
  /** What the log allowed or asked for and what did not travel, in words. */
  readonly dropped: readonly string[]
}

/**
 * Take an exported session in. Nothing is written before all of it was checked. The log is taken byte for byte; what
 * the log lets run by itself is taken back by events behind it: waiting input, grants and full access.
 * Fails `USAGE` for what is no exported session, `SESSION_EXISTS`, `FORMAT_TOO_NEW`, and as the store does.
 */
export async function importSession(path: string, options: ImportOptions): Promise<Result<Imported>> {
  const archive = await openArchive(path, options.limits)
  if (!archive.ok) return archive
  try {
    const checked = await checkedLog(archive.value)
    return checked.ok ? await write(archive.value, checked.value, options) : checked
  } catch (error) {
    return foreseen(error)
  } finally {
    await archive.value.close()
  }
}

interface Checked {
  readonly log: ReadLog
  readonly lines: readonly string[]
  readonly id: string
}

const asideName = 'damaged-import'

async function checkedLog(archive: Archive): Promise<Result<Checked>> {
  const { manifest } = archive
  const found = await readLined(archive)
  if (!found.ok) return found
  const why = faultOfLog(found.value.log.events, manifest)
  if (why !== undefined) return { ok: false, failure: notArchive(why) }
  // The place where damaged lines are kept is named in the log, but was not where it was exported.
  const named = found.value.log.damage.length > 0 ? await readLined(archive, asideName) : found
  return named.ok
    ? { ok: true, value: { log: named.value.log, lines: named.value.lines, id: manifest.session } }
    : named
}

async function readLined(archive: Archive, aside?: string): Promise<Result<Pick<Checked, 'log' | 'lines'>>> {
  const lines: string[] = []
  const onLine = (line: string): void => void lines.push(line)
  const options = { hasher: nodeHasher, onLine, ...(aside !== undefined && { aside }) }
  const log = await readLog(ofLines(archive.unpack('log.jsonl')), options)
  return log.ok ? { ok: true, value: { log: log.value, lines } } : log
}

/** An event's hash alone takes more bytes, and each line that is none costs as much memory as one that is. */
const leastLine = 64
const fewLines = 100_000

async function* ofLines(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0
  let lines = 0
  for await (const block of blocks) {
    bytes += block.length
    for (let at = block.indexOf(10); at >= 0; at = block.indexOf(10, at + 1)) lines++
    if (lines > fewLines && bytes < lines * leastLine)
      throw new FailureError(notArchive('its log holds more lines than events'))
    yield block
  }
}

function faultOfLog(events: readonly SessionEvent[], manifest: Manifest): string | undefined {
  const [first] = events
  if (first?.type !== 'session/start' && first?.type !== 'session/damage') return 'its log is not that of a session'
  if (idOf(events) !== '' && idOf(events) !== manifest.session) return 'its log is that of another session'
  if (manifest.events !== events.length && manifest.exact) return 'its log has another length than it says'
  const marked = events.some(({ type, data }) => type === 'session/migrated' && 'from' in data && data.from === data.to)
  if (!manifest.exact && !marked) return 'it says that texts were removed, and its log does not'
  return manifest.head === events.at(-1)?.hash ? undefined : 'its log does not end as it says'
}

async function write(archive: Archive, checked: Checked, options: ImportOptions): Promise<Result<Imported>> {
  const { store, holder, as } = options
  const { log, lines } = checked
  const { manifest } = archive
  const id = as ?? checked.id
  if (id === 'last' || id.startsWith('-')) return { ok: false, failure: unnameable(id) }
  const [start] = log.events
  const cwd = start?.type === 'session/start' ? start.data.cwd : ''
  const lease = await store.create(id, { cwd, holder })
  if (!lease.ok) return lease.failure.code === 'SESSION_EXISTS' ? { ok: false, failure: exists(id) } : lease
  let done = false
  try {
    const missing = await writeFiles(archive, checked, { ...options, id, lease: lease.value })
    const { added, dropped } = await quarantine(checked, options)
    // With the events that tame it in one piece: a crash must not leave a log that runs what its sender wished.
    await lease.value.publish([...lines, ...added])
    await lease.value.sync()
    done = true
    return { ok: true, value: { id, manifest, cwd, damage: log.damage.length, missing, dropped } }
  } finally {
    await lease.value.release()
    // What could not be taken in whole is put away again, so that its id is free.
    if (!done) await store.trash(id)
  }
}

const exists = (id: string): Failure => ({
  code: 'SESSION_EXISTS',
  message: `there is a session ${id} already`,
  next: 'Give the imported one another id with `--as NEW`; it is then a fork of the session that was exported.',
})

/** Ids that commands take for something else. */
const unnameable = (id: string): Failure => ({
  code: 'USAGE',
  message: `${id} cannot be the id of a session: no command could name it`,
  next: 'Give it another id with `--as NEW`.',
})

interface Writing extends ImportOptions {
  readonly id: string
  readonly lease: Lease
}

/** @returns how many pictures the archive does not hold. */
async function writeFiles(archive: Archive, { log, lines }: Checked, { store, id, lease }: Writing): Promise<number> {
  const there = new Set<string>()
  for (const { name } of archive.manifest.files) {
    const [part, file = ''] = name.split('/')
    if (part === 'blobs') there.add(await store.blobs(id).put(await whole(archive.unpack(name))))
    if (part === 'aside') await lease.publish(lines, { name: file, bytes: await whole(archive.unpack(name)) })
    if (part !== 'spill') continue
    const spilled = await store.spill(id).open(file)
    try {
      for await (const bytes of archive.unpack(name)) await spilled.write(bytes)
    } finally {
      await spilled.close()
    }
  }
  if (log.damage.length > 0) await lease.publish(lines, { name: asideName, bytes: joinedLines(log.aside) })
  return blobsOf(log.events).filter((blob) => !there.has(blob)).length
}

async function whole(blocks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const block of blocks) parts.push(block.slice())
  return Buffer.concat(parts)
}

/** Whoever sent the log decided what it lets run; whoever takes it in has not. Nothing is added when it lets nothing. */
async function quarantine({ log: { events }, lines }: Checked, { ports, as }: ImportOptions) {
  const added: string[] = []
  const sink = {
    append: async (_: number, more: readonly string[]) => more.forEach((line) => void added.push(line)),
    sync: async () => {},
  }
  const log = new SessionLog({ ports, sink, events })
  const waiting = waitingIn(log.state(inbox)).length
  const { mode, grants } = log.state(permission)
  const mark = as === undefined ? undefined : fork({ lines, events }, { id: as })
  if (mark?.ok) log.append('session/fork', mark.value.mark)
  for (const item of waitingIn(log.state(inbox))) log.append('inbox/spliced', removalOf(item, 'withdrawn'))
  for (const grant of log.state(permission).grants) log.append('permission/grant', { ...grant, revoked: true })
  if (mode === 'full-access') log.append('permission/mode', { mode: 'workspace-write', by: 'settings' })
  if (log.events.length > events.length) for (const { type, data } of repair(log.events)) log.append(type, data)
  await log.synced()
  const dropped = [
    ...(waiting > 0 ? [`input that waited (${waiting})`] : []),
    ...(grants.length > 0 ? [`permissions granted where it was exported (${grants.length})`] : []),
    ...(mode === 'full-access' ? ['full access: it goes on in workspace-write'] : []),
  ]
  return { added, dropped }
}
