import {
  cwdOf,
  type Failure,
  FailureError,
  type Holder,
  hideIn,
  type Lease,
  type ReadLog,
  type Result,
  readLog,
  redactLog,
  type SessionEvent,
} from '@rein/session'
import { nodeHasher } from '../hasher.ts'
import type { HomeStore } from '../home.ts'
import type { SessionStore } from '../session-store.ts'
import { putCopyAway } from './copy-away.ts'
import { blobsOf, noPicture, picturesIn } from './pictures.ts'
import { type SideFiles, sideFiles } from './side-files.ts'
import { hiddenBytes, joinedLines } from './text-bytes.ts'
import type { ValueHider } from './value.ts'

export interface RedactSessionOptions {
  readonly store: SessionStore & Partial<Pick<HomeStore, 'whereIs'>>
  readonly holder: Holder
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly values: ValueHider
  /** Keep no copy of the session as it was. */
  readonly purge: boolean
}

/** What was done to a session, for the person. */
export interface RedactedSession {
  readonly id: string
  readonly placeholders: readonly string[]
  /** Events that changed, of how many. */
  readonly changed: number
  readonly events: number
  /** Files beside the log that changed, as `spill/bash.txt`. */
  readonly files: readonly string[]
  /** Pictures that held the value, and are gone. */
  readonly pictures: number
  /** The session under which the original lies in the trash; undefined when there is none. */
  readonly original: string | undefined
  /** Where it may still stand, in words. */
  readonly left: readonly string[]
}

/**
 * Take values out of a session for good: the log without them is published in its place, and everything beside it is
 * rewritten. The original goes to the trash before anything changes, unless `purge`.
 * Fails `NOT_FOUND` when no value is in it, `SESSION_BUSY` while somebody holds it, `USAGE` when a value is a part of
 * its id or a word of the format; then nothing was changed.
 */
export async function redactSession(id: string, options: RedactSessionOptions): Promise<Result<RedactedSession>> {
  if (options.values.text(id) !== id) return fail(inName(id))
  const lease = await options.store.acquire(id, { holder: options.holder })
  if (!lease.ok) return lease
  try {
    const plan = await planned(id, lease.value, options)
    return plan.ok ? await carryOut(plan.value, lease.value, options) : plan
  } catch (error) {
    if (error instanceof FailureError) return fail(error.failure)
    throw error
  } finally {
    await lease.value.release()
  }
}

const fail = (failure: Failure): Result<never> => ({ ok: false, failure })

const inName = (id: string): Failure => ({
  code: 'USAGE',
  message: `the value is a part of the session's id, ${id}`,
  next: 'Fork the session, redact the fork, and put this one in the trash.',
})

const isWord: Failure = {
  code: 'USAGE',
  message: "the value is also a word of the log's own format, which cannot be replaced",
  next: 'Give a longer value: the line or the whole text that holds it.',
}

const nowhere = (id: string): Failure => ({
  code: 'NOT_FOUND',
  message: `the value stands nowhere in session ${id}: nothing was changed`,
  next: 'Give it exactly as it is, without quotes around it; what was hidden before shows as a placeholder.',
})

interface Plan {
  readonly id: string
  readonly log: ReadLog
  /** As they are; a damage is declared in them. */
  readonly lines: readonly string[]
  readonly aside: { readonly name: string; readonly bytes: Uint8Array } | undefined
  readonly redacted: ReturnType<typeof redactLog>
  readonly changed: number
  /** Whether the value stands in the log at all, its damaged lines included. */
  readonly publish: boolean
  readonly gone: ReadonlySet<string>
  readonly files: SideFiles | undefined
  readonly rewritten: readonly Rewritten[]
}

interface Rewritten {
  readonly part: 'aside' | 'spill' | 'inbox'
  readonly name: string
  readonly bytes: Uint8Array
}

async function planned(id: string, lease: Lease, options: RedactSessionOptions): Promise<Result<Plan>> {
  const { store, values } = options
  const lines: string[] = []
  const name = `damaged-${lease.epoch}`
  const read = await readLog(lease.bytes(), { hasher: nodeHasher, aside: name, onLine: (line) => lines.push(line) })
  if (!read.ok) return read
  const log = read.value
  const gone = await picturesWith(values, { store, id, events: log.events })
  const bare = withoutPictures(log.events, gone)
  const from = { events: bare, lines: lines.map((line, seq) => (bare[seq] === log.events[seq] ? line : '')) }
  const redacted = redactLog(from, { hasher: nodeHasher, hide: values.text, time: options.now() })
  if (redacted.kept.length > 0) return fail(isWord)
  const moved = bare.filter((event, seq) => event !== log.events[seq]).map(({ seq }) => seq)
  const changed = new Set([...redacted.changed, ...moved]).size
  const files = await sideFiles(store, id)
  const rewritten = files ? await rewrittenFiles(files, values) : []
  const aside = log.damage.length > 0 ? { name, bytes: joinedLines(log.aside) } : undefined
  const spoiled = aside !== undefined && hiddenBytes(aside.bytes, values.text) !== aside.bytes
  const publish = changed > 0 || spoiled
  if (!publish && rewritten.length === 0) return fail(nowhere(id))
  return { ok: true, value: { id, log, lines, aside, redacted, changed, publish, gone, files, rewritten } }
}

async function carryOut(plan: Plan, lease: Lease, options: RedactSessionOptions): Promise<Result<RedactedSession>> {
  const { id, log, lines, aside, redacted, gone, files } = plan
  const { store, values } = options
  const as = { holder: options.holder, cwd: cwdOf(log.events) }
  const original = options.purge ? undefined : await putCopyAway(store, { id, lines, events: log.events, aside }, as)
  if (original && !original.ok) return original
  for (const { part, name, bytes } of plan.rewritten) await files?.replace(part, name, bytes)
  const safe = aside && { name: aside.name, bytes: hiddenBytes(aside.bytes, values.text) }
  if (plan.publish) await lease.publish(redacted.lines, safe)
  await lease.sync()
  for (const blob of gone) await files?.remove('blobs', blob)
  const value: RedactedSession = {
    id,
    placeholders: values.placeholders,
    changed: plan.changed,
    events: log.events.length,
    files: plan.rewritten.map(({ part, name }) => `${part}/${name}`),
    pictures: gone.size,
    original: original?.value,
    left: await leftOver(plan, lease, options),
  }
  return { ok: true, value }
}

async function leftOver({ id, log, gone, files }: Plan, lease: Lease, { store, values }: RedactSessionOptions) {
  const left: string[] = []
  const cwd = cwdOf(log.events)
  if (values.text(cwd) !== cwd) left.push('the name of the folder the session lies in, which is made of its directory')
  if ((await store.whereIs?.(id)) === 'sqlite')
    left.push('the journal of the database, until every process that has it open has ended')
  for (const blob of gone) if (await store.blobs(id).get(blob)) left.push(`the store, as the picture ${blob}`)
  for (const item of await lease.posted())
    if (hideIn(item, values.text) !== item) left.push(`the store, as input that waits (${item.id})`)
  for (const name of (await files?.names('spill')) ?? [])
    if (values.text(name) !== name) left.push(`the name of the whole output ${name}`)
  const asides = new Set(await files?.names('aside'))
  const named = log.events.flatMap((event) => (event.type === 'session/damage' ? [event.data.aside ?? ''] : []))
  for (const name of new Set(named))
    if (name !== '' && name !== `damaged-${lease.epoch}` && !asides.has(name))
      left.push(`damaged lines the store keeps as ${name}, unless it was never in them`)
  return left
}

async function picturesWith(
  values: ValueHider,
  { store, id, events }: { store: SessionStore; id: string; events: readonly SessionEvent[] },
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const blob of blobsOf(events)) {
    const bytes = await store.blobs(id).get(blob)
    if (bytes && values.within(bytes)) found.add(blob)
  }
  return found
}

/** The same events where no picture is gone. */
function withoutPictures(events: readonly SessionEvent[], gone: ReadonlySet<string>): readonly SessionEvent[] {
  if (gone.size === 0) return events
  return events.map((event) => {
    if (!picturesIn(event).some(({ blob }) => gone.has(blob))) return event
    return { ...event, data: blanked(event.data, gone) } as SessionEvent
  })
}

function blanked(value: unknown, gone: ReadonlySet<string>): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: unknown) => blanked(item, gone))
  if ('type' in value && value.type === 'image' && 'blob' in value && gone.has(String(value.blob))) return noPicture
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, blanked(field, gone)]))
}

async function rewrittenFiles(files: SideFiles, values: ValueHider): Promise<readonly Rewritten[]> {
  const rewritten: Rewritten[] = []
  for (const part of ['aside', 'spill', 'inbox'] as const) {
    for (const name of await files.names(part)) {
      const before = await files.read(part, name)
      const bytes = part === 'inbox' ? hiddenItem(before, values) : hiddenBytes(before, values.text)
      if (bytes !== before) rewritten.push({ part, name, bytes })
    }
  }
  return rewritten
}

/** A posted item keeps its shape; what is none is text. */
function hiddenItem(bytes: Uint8Array, { text }: ValueHider): Uint8Array {
  try {
    const item: unknown = JSON.parse(new TextDecoder().decode(bytes))
    const safe = hideIn(item, text)
    return safe === item ? bytes : Buffer.from(JSON.stringify(safe))
  } catch (error) {
    if (error instanceof SyntaxError) return hiddenBytes(bytes, text)
    throw error
  }
}
