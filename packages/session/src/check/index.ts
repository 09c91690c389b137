import type { SessionEvent } from '../events/index.ts'
import {
  callsBeforeResults,
  exclusiveUnlessParallel,
  modelOrder,
  oneResultEach,
  onlyAllowedOnceAllows,
  seenBeforeChange,
} from './calls.ts'
import { namesAreThere } from './names.ts'
import { whatOpensCloses } from './opens.ts'
import {
  cutRepliesRunNothing,
  lastFinishIsOutcome,
  noEmptyContent,
  nothingIsNoSuccess,
  oneSettlementEach,
} from './requests.ts'
import type { Rule, Violation } from './rule.ts'

/** Every rule of the log (marked L in docs/architecture.md). */
export const logRules: readonly Rule[] = [
  callsBeforeResults,
  oneResultEach,
  modelOrder,
  exclusiveUnlessParallel,
  cutRepliesRunNothing,
  nothingIsNoSuccess,
  namesAreThere,
  noEmptyContent,
  onlyAllowedOnceAllows,
  seenBeforeChange,
  whatOpensCloses,
  oneSettlementEach,
  lastFinishIsOutcome,
]

/** Every breach of a rule, in the log's order. Linear in the log. */
export function check(events: readonly SessionEvent[]): readonly Violation[] {
  const violations: Violation[] = []
  let seq = 0
  const watches = logRules.map(({ rule, watch }) => {
    return { watch: watch(), violated: (what: string) => void violations.push({ rule, seq, what }) }
  })
  for (const event of events) {
    seq = event.seq
    for (const { watch, violated } of watches) watch.see(event, violated)
  }
  return violations
}

/** How many events lead up to the last closed turn: behind it a session may still be running. */
export function closedLength(events: readonly SessionEvent[]): number {
  for (let index = events.length - 1; index >= 0; index--) {
    const type = events[index]?.type
    if (type === 'turn/start') return index
    if (type === 'turn/end') return events.length
  }
  return events.length
}
