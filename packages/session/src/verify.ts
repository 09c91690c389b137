import { check, closedLength } from './check/index.ts'
import type { Violation } from './check/rule.ts'
import { type Damage, uncounted } from './damage.ts'
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

/** What `verify` found. Plain data; it can be sent as JSON. */
export interface Verification {
  readonly answer: Answer
  /** Requests whose every byte was rebuilt and whose hash agrees. */
  readonly proved: number
  readonly requests: number
  readonly events: number
  /** Hash of the last line. Kept elsewhere, it proves later that nothing was rewritten. */
  readonly head: string
  /** In words; what decides the answer comes first. */
  readonly problems: readonly string[]
  readonly violations: readonly Violation[]
}

/** Whether the answer ends a command well (exit 0) or with 6. */
export const isSound = (answer: Answer): boolean =>
  answer === 'clean' || answer === 'open tail' || answer === 'declared damage' || answer === 'redacted'

/** What a log is proved with; nothing of it is read from a store. */
export interface VerifyOptions {
  readonly hasher: NewHasher
  /** The blobs the log names, loaded before, by their SHA-256, hexadecimal; undefined where there is none. */
  readonly blob: (sha256: string) => Uint8Array | undefined
  /** Whether something besides says that the log was written to: an empty one is then a loss. Default: not known. */
  readonly written?: boolean
}

/**
 * Prove a log: chain and damage as `readLog` found them, the rules, and every request rebuilt from the events before
 * it. Never repairs. Linear in the log and in the bodies whose front moved.
 */
export function verify(log: ReadLog, options: VerifyOptions): Verification {
  const { events, openEnd } = log
  const closed = closedLength(events)
  const violations = check(events).filter((violation) => violation.seq < closed)
  const requests = proveRequests(log, options)
  const open = openEnd || events.length === 0 || closed < events.length
  const found = [...beginning(log, options.written), ...faults(log, violations), ...requests.problems]
  const answer = worst.find((each) => found.some(({ makes }) => makes === each)) ?? soundAnswer(log, open)
  // What decides comes first; all else keeps its order.
  const deciding = found.filter(({ makes }) => makes === answer)
  const others = found.filter(({ makes }) => makes !== answer)
  return {
    answer,
    proved: requests.proved,
    requests: requests.all,
    events: events.length,
    head: events.at(-1)?.hash ?? '',
    problems: [...deciding, ...others].map(({ what }) => what),
    violations,
  }
}

/** Answers that end badly, the worst first. */
const worst = ['FALSE', 'blob missing', 'cannot rebuild'] as const

/** Something wrong, in words, and the answer it makes unless a worse one is found; none where it is excused. */
interface Problem {
  readonly what: string
  readonly makes?: (typeof worst)[number]
}

/** @param makes what it makes of the log, when it counts. */
const problem = (what: string, makes: (typeof worst)[number], counts: boolean): Problem =>
  counts ? { what, makes } : { what }

/** A log starts with its own name, or with declared damage in its place. */
function beginning({ events }: ReadLog, written: boolean | undefined): Problem[] {
  const type = events[0]?.type
  if (type === 'session/start' || type === 'session/damage') return []
  if (type !== undefined) return [problem(`the log starts with ${type}, not with session/start`, 'FALSE', true)]
  return [
    ...(written ? [problem('something was written to the log: what it held is lost', 'FALSE', true)] : []),
    { what: 'the log holds no event: nothing was written, or what it held is lost' },
  ]
}

/** What declared damage took away may leave rules broken behind it, never before it. */
function faults(log: ReadLog, violations: readonly Violation[]): Problem[] {
  const damaged = declaredAt(log)
  return [
    ...log.damage.map((found) => problem(damageText(found), 'FALSE', !log.openEnd)),
    ...violations.map(({ seq, rule, what }) =>
      problem(`event ${seq} breaks rule ${rule}: ${what}`, 'FALSE', seq < damaged),
    ),
  ]
}

function damageText(found: Damage): string {
  const lost = uncounted(found) ?? `${found.events} events and ${found.bytes} bytes lost`
  return `line ${found.line}: ${found.reason}, ${lost}, at byte ${found.offset}, not declared`
}

function soundAnswer(log: ReadLog, open: boolean): Answer {
  if (declaredAt(log) < Number.POSITIVE_INFINITY) return 'declared damage'
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

/**
 * What declared damage took away may leave requests behind it that cannot be rebuilt, never before it. A redaction
 * excuses as little as it can: requests before it that differ, and only those made of something in which a placeholder
 * stands. Whoever rewrote other words too is told, whatever the log declares. A chain can be computed by anybody, so
 * this finds mistakes and not forgers; the head hash, kept elsewhere, finds those.
 */
function proveRequests(log: ReadLog, options: VerifyOptions) {
  const { events } = log
  const missing = new Set<string>()
  const blob = (sha256: string) => {
    const bytes = options.blob(sha256)
    if (!bytes) missing.add(`blob ${sha256} is missing`)
    return bytes
  }
  const rebuild = new Rebuild({ hasher: options.hasher, blob })
  const hidden = new Hidden(hiddenBefore(events))
  const damaged = declaredAt(log)
  const different: Problem[] = []
  const unknown: Problem[] = []
  let all = 0
  let proved = 0
  for (const event of events) {
    rebuild.feed(event)
    hidden.see(event)
    if (event.type !== 'request/sent') continue
    all++
    const { id, sha256, bytes, kind } = event.data
    const made = rebuild.request(event)
    const before = event.seq < damaged
    if (made.ok && made.value.sha256 === sha256 && made.value.bytes === bytes) proved++
    else if (!made.ok) unknown.push(problem(`request ${id}: ${made.failure.message}`, 'cannot rebuild', before))
    else if (missing.size > 0)
      unknown.push(problem(`request ${id} cannot be proved without its blobs`, 'cannot rebuild', before))
    else {
      const excused = hidden.excuses(event, rebuild)
      const why = excused ? 'held what was redacted and cannot be proved' : 'is not what the log gives'
      different.push(problem(`${kind} request ${id} (event ${event.seq}) ${why}`, 'FALSE', before && !excused))
    }
  }
  const gone = [...missing].map((what) => problem(what, 'blob missing', true))
  return { all, proved, problems: [...different, ...gone, ...unknown] }
}
