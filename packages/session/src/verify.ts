import { check, closedLength } from './check/index.ts'
import type { Violation } from './check/rule.ts'
import type { EventNamed, SessionEvent } from './events/index.ts'
import type { NewHasher } from './hasher.ts'
import type { ReadLog } from './read.ts'
import { Rebuild } from './rebuild.ts'

/** What can be said of a log. `FALSE` covers undeclared damage, a broken rule and a request that differs. */
export type Answer =
  | 'clean'
  | 'open tail'
  | 'declared damage'
  | 'redacted'
  | 'blob missing'
  | 'cannot rebuild'
  | 'FALSE'

export interface Verification {
  readonly answer: Answer
  /** Requests whose every byte was rebuilt and whose hash agrees. */
  readonly proved: number
  readonly requests: number
  readonly events: number
  /** Hash of the last line. Kept elsewhere, it proves later that nothing was rewritten. */
  readonly head: string
  /** In words, the most serious first. */
  readonly problems: readonly string[]
  readonly violations: readonly Violation[]
}

/** Whether the answer ends a command well (exit 0) or with 6. */
export const isSound = (answer: Answer): boolean =>
  answer === 'clean' || answer === 'open tail' || answer === 'declared damage' || answer === 'redacted'

export interface VerifyOptions {
  readonly hasher: NewHasher
  /** The blobs the log names, loaded before. */
  readonly blob: (sha256: string) => Uint8Array | undefined
  /** Whether somebody became the writer a second time. An empty log is then no beginning but a loss. Default: not known. */
  readonly openedAgain?: boolean
}

/**
 * Prove a log: chain and damage as `readLog` found them, the rules, and every request rebuilt from the events before
 * it. Never repairs. Linear in the log and in the bodies whose front moved.
 */
export function verify(log: ReadLog, options: VerifyOptions): Verification {
  const { events, damage, openEnd } = log
  const closed = closedLength(events)
  const violations = check(events).filter((violation) => violation.seq < closed)
  const requests = proveRequests(events, { ...options, hiddenBefore: hiddenBefore(events) })
  const emptied = events.length === 0 && options.openedAgain === true
  const problems = [
    ...beginning(log),
    ...(emptied ? ['the session was opened again, which writes to the log: what it held is lost'] : []),
    ...requests.different.map(({ what }) => what),
    ...damage.map(
      (found) =>
        `line ${found.line}: ${found.reason}, ${found.events} events and ${found.bytes} bytes lost at byte ${found.offset}, not declared`,
    ),
    ...violations.map((violation) => `event ${violation.seq} breaks rule ${violation.rule}: ${violation.what}`),
    ...requests.missing,
    ...requests.unknown.map(({ what }) => what),
  ]
  const open = openEnd || events.length === 0 || closed < events.length
  return {
    answer: emptied ? 'FALSE' : answerOf({ log, violations, requests, open }),
    proved: requests.proved,
    requests: requests.all,
    events: events.length,
    head: events.at(-1)?.hash ?? '',
    problems,
    violations,
  }
}

interface Findings {
  readonly log: ReadLog
  readonly violations: readonly Violation[]
  readonly requests: ReturnType<typeof proveRequests>
  readonly open: boolean
}

/** A log starts with its own name, or with declared damage in its place. */
function beginning({ events }: ReadLog): string[] {
  const type = events[0]?.type
  if (type === 'session/start' || type === 'session/damage') return []
  return [type === undefined ? 'the log holds no event' : `the log starts with ${type}, not with session/start`]
}

/**
 * What declared damage took away may leave rules broken and requests that cannot be rebuilt behind it, never before it.
 * A redaction excuses as little as it can: requests before it that differ, and only those made of something in which a
 * placeholder stands. Whoever rewrote other words too is told, whatever the log declares. A chain can be computed by
 * anybody, so this finds mistakes and not forgers; the head hash, kept elsewhere, finds those.
 */
function answerOf({ log, violations, requests, open }: Findings): Answer {
  const damaged = declaredAt(log)
  if (log.damage.length > 0 && !log.openEnd) return 'FALSE'
  if (log.events.length > 0 && beginning(log).length > 0) return 'FALSE'
  if (violations.some(({ seq }) => seq < damaged)) return 'FALSE'
  if (requests.different.some(({ seq, excused }) => seq < damaged && !excused)) return 'FALSE'
  if (requests.missing.length > 0) return 'blob missing'
  if (requests.unknown.some(({ seq }) => seq < damaged)) return 'cannot rebuild'
  if (damaged < Number.POSITIVE_INFINITY) return 'declared damage'
  if (isMarked(log.events) || log.events.some(isRedaction)) return 'redacted'
  return open ? 'open tail' : 'clean'
}

/** Seq of the first damage that the log itself declares. The reader's own mark of an unfinished last line is not one. */
function declaredAt({ events, openEnd }: ReadLog): number {
  const declared = openEnd ? events.slice(0, -1) : events
  return declared.find((event) => event.type === 'session/damage')?.seq ?? Number.POSITIVE_INFINITY
}

/** A rewriting of a log in its own format: contents before it were replaced on purpose. */
const isRedaction = (event: SessionEvent): boolean =>
  event.type === 'session/migrated' && event.data.from === event.data.to

/** The mark at the beginning of a log that was redacted, or of a fork of one. */
const isMarked = ([first]: readonly SessionEvent[]): boolean =>
  first?.type === 'session/start' && first.data.redacted === true

/**
 * Before which event a placeholder may stand for what was sent: the last redaction, or a loss that may have been one. All
 * of a log that is marked and ends before it says more.
 */
function hiddenBefore(events: readonly SessionEvent[]): number {
  if (isMarked(events) && !events.some(isRedaction)) return events.length
  return events.findLast((event) => isRedaction(event) || event.type === 'session/damage')?.seq ?? -1
}

/** What stands where something was hidden. */
const placeholder = /⟦[^⟦⟧\s]{1,100}⟧/

/** Which events before `upTo` hold a placeholder. */
class Hidden {
  readonly #upTo: number
  readonly #seqs = new Set<number>()

  constructor(upTo: number) {
    this.#upTo = upTo
  }

  see({ seq, type, surface, data }: SessionEvent): void {
    if (seq >= this.#upTo || (surface === undefined && type !== 'request/header')) return
    if (placeholder.test(JSON.stringify(data))) this.#seqs.add(seq)
  }

  excuses({ seq, data }: EventNamed<'request/sent'>, rebuild: Rebuild): boolean {
    if (seq >= this.#upTo) return false
    if (this.#seqs.has(data.header) || placeholder.test(JSON.stringify(data.extra))) return true
    return rebuild.holdsAt(data.at, this.#seqs)
  }
}

function proveRequests(events: readonly SessionEvent[], options: VerifyOptions & { readonly hiddenBefore: number }) {
  const missing = new Set<string>()
  const blob = (sha256: string) => {
    const bytes = options.blob(sha256)
    if (!bytes) missing.add(`blob ${sha256} is missing`)
    return bytes
  }
  const rebuild = new Rebuild({ hasher: options.hasher, blob })
  const hidden = new Hidden(options.hiddenBefore)
  const different: { seq: number; what: string; excused: boolean }[] = []
  const unknown: { seq: number; what: string }[] = []
  let all = 0
  let proved = 0
  for (const event of events) {
    rebuild.feed(event)
    hidden.see(event)
    if (event.type !== 'request/sent') continue
    all++
    const { seq } = event
    const { id, sha256, bytes, kind } = event.data
    const made = rebuild.request(event)
    if (!made.ok) unknown.push({ seq, what: `request ${id}: ${made.failure.message}` })
    else if (made.value.sha256 === sha256 && made.value.bytes === bytes) proved++
    else if (missing.size > 0) unknown.push({ seq, what: `request ${id} cannot be proved without its blobs` })
    else {
      const excused = hidden.excuses(event, rebuild)
      const why = excused ? 'held what was redacted and cannot be proved' : 'is not what the log gives'
      different.push({ seq, what: `${kind} request ${id} (event ${seq}) ${why}`, excused })
    }
  }
  return { all, proved, different, unknown, missing: [...missing] }
}
