import type { Content } from './events/content.ts'
import type { InboxItem } from './events/inbox.ts'
import type { SessionEvent } from './events/index.ts'
import { inbox, waitingIn } from './folds/inbox.ts'
import { foreseen } from './foreseen.ts'
import { damageUpTo, type Fork, fork } from './fork.ts'
import type { Ports } from './hasher.ts'
import { SessionLog } from './log.ts'
import { copyOf, mend } from './mend.ts'
import type { Damage } from './read.ts'
import { repair } from './repair.ts'
import type { Blobs, Holder, Lease, Result, Store } from './store.ts'

/**
 * A session in the hands of this process: its log, and the lease that makes it the writer. Whoever keeps it open calls
 * `lease.renew()` every second.
 */
export interface LiveSession {
  readonly id: string
  readonly log: SessionLog
  readonly lease: Lease
  readonly store: Store
  /** What could not be read when it was opened; of a fork, in the log of its parent. Told to the person once. */
  readonly damage: readonly Damage[]
  /** Input that was taken from the inbox when it was opened: damage took whether it was claimed. Told to the person once. */
  readonly withdrawn: readonly InboxItem[]
  /**
   * Write everything, then give the lease back. Idempotent.
   * @throws FailureError when what was not yet written could not be; the lease is given back all the same.
   */
  close(): Promise<void>
}

export interface SessionOptions {
  readonly store: Store
  readonly ports: Ports
  readonly holder: Holder
  /** Version of rein, for the log. */
  readonly rein: string
}

/** Start a session in `cwd`. */
export async function createSession(options: SessionOptions, cwd: string): Promise<Result<LiveSession>> {
  const id = options.ports.id('s')
  const lease = await options.store.create(id, { cwd, holder: options.holder })
  if (!lease.ok) return lease
  const log = new SessionLog({ ports: options.ports, sink: lease.value })
  log.append('session/start', { format: 1, id, cwd, rein: options.rein })
  return { ok: true, value: live({ options, lease: lease.value, log, damage: [] }) }
}

/**
 * Become the writer of a session: declare what could not be read, close what was left open, go on.
 * @param cwd the directory of a session whose log is empty, and so names none.
 */
export async function resumeSession(options: SessionOptions, id: string, cwd = ''): Promise<Result<LiveSession>> {
  const lease = await options.store.acquire(id, { holder: options.holder })
  if (!lease.ok) return lease
  return orGivenBack(lease.value, () => goOn(lease.value, options, cwd))
}

async function goOn(lease: Lease, options: SessionOptions, cwd: string): Promise<Result<LiveSession>> {
  const mended = await mend(lease, options.ports)
  if (!mended.ok) return mended
  const { events, read } = mended.value
  const empty = events.length === 0
  const damage = empty ? [lostWhole] : read.damage
  const log = new SessionLog({ ports: options.ports, sink: lease, events })
  if (empty) {
    log.append('session/start', { format: 1, id: lease.id, cwd, rein: options.rein })
    log.append('session/damage', { reason: 'torn', events: 0, lines: 0, bytes: 0 })
  }
  const { host, pid, started } = options.holder
  log.append('session/resume', { epoch: lease.epoch, holder: `${host}:${pid}:${started}`, rein: options.rein })
  return closedUp(live({ options, lease, log, damage }))
}

/**
 * Whoever makes or takes over a session writes to its log at once. One that is empty was cut to nothing, or its process
 * died in that moment: nothing tells for certain, so it is not called whole.
 */
const lostWhole: Damage = { reason: 'torn', line: 1, offset: 0, bytes: 0, events: 0 }

/** What fails while a session is opened is a value, a take-over in that moment included, and holds no lease. */
async function orGivenBack(lease: Lease, open: () => Promise<Result<LiveSession>>): Promise<Result<LiveSession>> {
  try {
    const opened = await open()
    if (!opened.ok) await lease.release()
    return opened
  } catch (error) {
    await lease.release()
    return foreseen(error)
  }
}

/** A new session from a prefix of another one, which need not be free: reading needs no lease. */
export async function forkSession(
  options: SessionOptions,
  from: { readonly id: string; readonly at?: number },
): Promise<Result<LiveSession>> {
  const bytes = await options.store.read(from.id)
  if (!bytes.ok) return bytes
  const parent = await copyOf(bytes.value, options.ports)
  if (!parent.ok) return parent
  const { read } = parent.value
  const id = options.ports.id('s')
  const made = fork(parent.value, { id, ...(from.at !== undefined && { at: from.at }) })
  if (!made.ok) return made
  const lease = await options.store.create(id, { cwd: cwdOf(parent.value.events), holder: options.holder })
  if (!lease.ok) return lease
  return orGivenBack(lease.value, async () => {
    await takeBlobs(options.store.blobs(id), { from: from.id, events: made.value.events })
    const { lines, events } = marked(made.value, options.ports)
    await lease.value.publish(lines)
    const log = new SessionLog({ ports: options.ports, sink: lease.value, events })
    // The last line of a parent that runs is being written.
    const damage = read.openEnd ? [] : damageUpTo(read.damage, from.at ?? read.events.length)
    return closedUp(live({ options, lease: lease.value, log, damage }))
  })
}

/** Prefix and mark are published as one: a crash between them would leave a copy of the parent, its waiting input included. */
function marked({ lines, events, mark, narrower }: Fork, ports: Ports): Pick<Fork, 'lines' | 'events'> {
  const all = [...lines]
  const nowhere = { append: async () => undefined, sync: async () => undefined }
  const log = new SessionLog({ ports, sink: nowhere, events })
  log.onLine((line) => all.push(line))
  log.append('session/fork', mark)
  if (narrower) log.append('permission/mode', { mode: narrower, by: 'settings' })
  return { lines: all, events: log.events }
}

/** The directory a session works in. Empty when damage took the start. */
export const cwdOf = (events: readonly SessionEvent[]): string => {
  const start = events[0]
  return start?.type === 'session/start' ? start.data.cwd : ''
}

async function closedUp(session: LiveSession): Promise<Result<LiveSession>> {
  const { log } = session
  const waiting = waitingIn(log.state(inbox))
  const drafts = repair(log.events)
  const removed = new Set(drafts.flatMap(({ type, data }) => (type === 'inbox/spliced' ? data.remove : [])))
  for (const { type, data } of drafts) log.append(type, data)
  await log.synced()
  const withdrawn = waiting.filter(({ id }) => removed.has(id))
  return { ok: true, value: { ...session, withdrawn } }
}

async function takeBlobs(blobs: Blobs, { from, events }: { from: string; events: readonly SessionEvent[] }) {
  const taken = new Set<string>()
  for (const event of events) {
    for (const part of contentOf(event)) {
      if (part.type !== 'image' || taken.has(part.blob)) continue
      taken.add(part.blob)
      await blobs.link(part.blob, from)
    }
  }
}

function contentOf(event: SessionEvent): readonly Content[] {
  if (event.type === 'request/sent') return event.data.extra ?? []
  if (event.type === 'inbox/spliced') return event.data.insert.flatMap(({ content }) => content)
  return event.type === 'user/message' || event.type === 'tool/result' ? event.data.content : []
}

function live(made: {
  options: SessionOptions
  lease: Lease
  log: SessionLog
  damage: readonly Damage[]
}): LiveSession {
  const { lease, log, damage } = made
  let closed: Promise<void> | undefined
  const close = async () => {
    try {
      if (log.poison === undefined) await log.synced()
    } finally {
      await lease.release()
    }
  }
  return {
    id: lease.id,
    log,
    lease,
    store: made.options.store,
    damage,
    withdrawn: [],
    close: () => {
      closed ??= close()
      return closed
    },
  }
}
