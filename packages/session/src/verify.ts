import { check, closedLength } from './check/index.ts'
import type { Violation } from './check/rule.ts'
import type { SessionEvent } from './events/index.ts'
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

/**
 * Prove a log: chain and damage as `readLog` found them, the rules, and every request rebuilt from the events before
 * it. Never repairs. Linear in the log.
 * @param blob the blobs the log names, loaded before.
 */
export function verify(
  log: ReadLog,
  options: { readonly hasher: NewHasher; readonly blob: (sha256: string) => Uint8Array | undefined },
): Verification {
  const { events, damage, openEnd } = log
  const closed = closedLength(events)
  const violations = check(events).filter((violation) => violation.seq < closed)
  const requests = proveRequests(events, options)
  const problems = [
    ...requests.different,
    ...damage.map(
      (found) =>
        `line ${found.line}: ${found.reason}, ${found.events} events and ${found.bytes} bytes lost, not declared`,
    ),
    ...violations.map((violation) => `event ${violation.seq} breaks rule ${violation.rule}: ${violation.what}`),
    ...requests.missing,
    ...requests.unknown,
  ]
  return {
    answer: answerOf({ log, violations, requests, open: openEnd || closed < events.length }),
    proved: requests.proved,
    requests: requests.all,
    events: events.length,
    head: events.at(-1)?.hash ?? '',
    problems,
    violations,
  }
}

type Proof = ReturnType<typeof proveRequests>

function answerOf(found: { log: ReadLog; violations: readonly Violation[]; requests: Proof; open: boolean }): Answer {
  const { log, violations, requests } = found
  const declared = !log.openEnd && log.events.some((event) => event.type === 'session/damage')
  // What declared damage took away may leave rules broken and requests that cannot be rebuilt; nothing is hidden by that.
  if (log.damage.length > 0 && !log.openEnd) return 'FALSE'
  if (!declared && (violations.length > 0 || requests.different.length > 0)) return 'FALSE'
  if (requests.missing.length > 0) return 'blob missing'
  if (requests.unknown.length > 0 && !declared) return 'cannot rebuild'
  if (declared) return 'declared damage'
  return found.open ? 'open tail' : 'clean'
}

function proveRequests(
  events: readonly SessionEvent[],
  options: { hasher: NewHasher; blob: (sha256: string) => Uint8Array | undefined },
) {
  const missing = new Set<string>()
  const blob = (sha256: string) => {
    const bytes = options.blob(sha256)
    if (!bytes) missing.add(`blob ${sha256} is missing`)
    return bytes
  }
  const rebuild = new Rebuild({ hasher: options.hasher, blob })
  const different: string[] = []
  const unknown: string[] = []
  let all = 0
  let proved = 0
  for (const event of events) {
    rebuild.feed(event)
    if (event.type !== 'request/sent') continue
    all++
    const made = rebuild.request(event)
    if (!made.ok) unknown.push(`request ${event.data.id}: ${made.failure.message}`)
    else if (made.value.sha256 === event.data.sha256 && made.value.bytes === event.data.bytes) proved++
    else different.push(`request ${event.data.id} (event ${event.seq}) is not what the log gives`)
  }
  return { all, proved, different, unknown, missing: [...missing] }
}
