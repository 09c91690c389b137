import {
  type Amendment,
  type Beside,
  cwdOf,
  type Failure,
  foreseen,
  type Holder,
  type Lease,
  type ReadLog,
  type Result,
  readLog,
  redactLog,
  type SessionEvent,
} from '@rein/session'
import { nodeHasher } from '../hasher.ts'
import type { SessionStore } from '../session-store.ts'
import { putCopyAway } from './copy-away.ts'
import { noPicture, picturesIn } from './pictures.ts'
import { hiddenPost, idOfPost } from './posts.ts'
import { type Spilled, spilledOf } from './spilled.ts'
import { hiddenBytes, joinedLines } from './text-bytes.ts'
import type { ValueHider } from './value.ts'

/** Which values are taken out of a session, where it is kept, and who holds it meanwhile. */
export interface RedactSessionOptions {
  readonly store: SessionStore
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
  /** What changed beside the log, as `spill/bash.txt`, `aside/damaged-3` and `post/` with the id of what waits. */
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
    return foreseen(error)
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

const onlyIn = (left: readonly string[]): Failure => ({
  code: 'USAGE',
  message: `the value stands only where it cannot be taken out: ${left.join('; ')}`,
  next: 'Fork the session, and put this one in the trash.',
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
  readonly amended: Amended
  readonly outputs: Spilled
  /** Whole outputs anew, by name. */
  readonly spills: ReadonlyMap<string, Uint8Array>
}

/** What becomes of the pieces beside the log. */
interface Amended {
  readonly pieces: readonly Amendment[]
  /** Of those that are rewritten. */
  readonly labels: readonly string[]
  /** Pictures that go. */
  readonly gone: ReadonlySet<string>
}

async function planned(id: string, lease: Lease, options: RedactSessionOptions): Promise<Result<Plan>> {
  const { store, values } = options
  const lines: string[] = []
  const name = `damaged-${lease.epoch}`
  const read = await readLog(lease.bytes(), { hasher: nodeHasher, aside: name, onLine: (line) => lines.push(line) })
  if (!read.ok) return read
  const log = read.value
  const amended = await amendments(values, store, id)
  const bare = withoutPictures(log.events, amended.gone)
  const from = { events: bare, lines: lines.map((line, seq) => (bare[seq] === log.events[seq] ? line : '')) }
  const redacted = redactLog(from, { hasher: nodeHasher, hide: values.text, time: options.now() })
  if (redacted.kept.length > 0) return fail(isWord)
  const moved = bare.filter((event, seq) => event !== log.events[seq]).map(({ seq }) => seq)
  const changed = new Set([...redacted.changed, ...moved]).size
  const outputs = await spilledOf(store, id)
  const spills = await hiddenOutputs(outputs, values)
  const aside = log.damage.length > 0 ? { name, bytes: joinedLines(log.aside) } : undefined
  const spoiled = aside !== undefined && hiddenBytes(aside.bytes, values.text) !== aside.bytes
  const publish = changed > 0 || spoiled
  if (!publish && amended.pieces.length + spills.size === 0) {
    // An earlier redaction may have left the store's journal to be cut.
    const left = await leftOver({ id, log, outputs }, await lease.amend([]), options)
    return fail(left.length === 0 ? nowhere(id) : onlyIn(left))
  }
  return { ok: true, value: { id, log, lines, aside, redacted, changed, publish, amended, outputs, spills } }
}

async function carryOut(plan: Plan, lease: Lease, options: RedactSessionOptions): Promise<Result<RedactedSession>> {
  const { id, log, lines, aside, redacted, amended, outputs, spills } = plan
  const { store, values } = options
  const as = { holder: options.holder, cwd: cwdOf(log.events) }
  const original = options.purge ? undefined : await putCopyAway(store, { id, lines, events: log.events, aside }, as)
  if (original && !original.ok) return original
  for (const [name, bytes] of spills) await outputs.replace(name, bytes)
  const safe = aside && { name: aside.name, bytes: hiddenBytes(aside.bytes, values.text) }
  if (plan.publish) await lease.publish(redacted.lines, safe)
  await lease.sync()
  // Last, and also when nothing lies beside it: what was published over goes from the store's files with it.
  const settled = await lease.amend(amended.pieces)
  const value: RedactedSession = {
    id,
    placeholders: values.placeholders,
    changed: plan.changed,
    events: log.events.length,
    files: [...amended.labels, ...[...spills.keys()].map((name) => `spill/${name}`)],
    pictures: amended.gone.size,
    original: original?.value,
    left: await leftOver(plan, settled, options),
  }
  return { ok: true, value }
}

async function leftOver(
  { id, log, outputs }: Pick<Plan, 'id' | 'log' | 'outputs'>,
  settled: boolean,
  { store, values }: RedactSessionOptions,
): Promise<readonly string[]> {
  const left: string[] = []
  const holds = (text: string): boolean => values.text(text) !== text
  if (holds(cwdOf(log.events))) left.push('the directory under which the session is kept and listed')
  if (!settled) left.push("the store's journal, which others read just now: run this again when they are done")
  for (const name of await outputs.names()) if (holds(name)) left.push(`the name of the whole output ${name}`)
  // What came meanwhile, and what is kept as it is: an item's id, by which it is known not to be taken in twice.
  for (const part of ['aside', 'post'] as const)
    for await (const piece of store.beside(id, part))
      if (holds(piece.name) || values.within(piece.bytes)) left.push(`the store, as ${labelOf(piece)}`)
  return left
}

/** Every piece beside the log that holds a value, those no event names any more too. */
async function amendments(values: ValueHider, store: SessionStore, id: string): Promise<Amended> {
  const pieces: Amendment[] = []
  const labels: string[] = []
  const gone = new Set<string>()
  for await (const { name, bytes } of store.beside(id, 'blob')) if (values.within(bytes)) gone.add(name)
  for (const name of gone) pieces.push({ part: 'blob', name, bytes: null })
  for (const part of ['aside', 'post'] as const) {
    for await (const piece of store.beside(id, part)) {
      const bytes = piece.part === 'post' ? hiddenPost(piece.bytes, values) : hiddenBytes(piece.bytes, values.text)
      if (bytes === piece.bytes) continue
      pieces.push({ part, name: piece.name, bytes })
      labels.push(labelOf(piece))
    }
  }
  return { pieces, labels, gone }
}

async function hiddenOutputs(outputs: Spilled, values: ValueHider): Promise<ReadonlyMap<string, Uint8Array>> {
  const hidden = new Map<string, Uint8Array>()
  for (const name of await outputs.names()) {
    const before = await outputs.read(name)
    const bytes = hiddenBytes(before, values.text)
    if (bytes !== before) hidden.set(name, bytes)
  }
  return hidden
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

const labelOf = ({ part, name, bytes }: Beside): string => `${part}/${(part === 'post' && idOfPost(bytes)) || name}`
