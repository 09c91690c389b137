import type { SessionEvent } from '../events/index.ts'

/** One breach of a rule of the log: the rule's number in docs/architecture.md, where, and what. */
export interface Violation {
  readonly rule: number
  readonly seq: number
  readonly what: string
}

/** Watches one rule over a log, an event at a time, in order. */
export interface RuleWatch {
  see(event: SessionEvent, violated: (what: string) => void): void
}

export interface Rule {
  readonly rule: number
  watch(): RuleWatch
}
