import type { SessionStore } from '@rein/harness'

/** Where a finding belongs, in the order they are shown. */
export const areas = ['environment', 'sandbox', 'config', 'sessions', 'stores', 'index'] as const

/** One thing that was looked at. */
export interface Finding {
  readonly area: (typeof areas)[number]
  /** Never changes meaning: what scripts read. */
  readonly word: string
  /**
   * `fine`: as it should be. `note`: worth knowing, nothing is wrong. `trouble`: something does not work, exit 1.
   * `damaged`: a log is damaged beyond what it declares, exit 6. `fixed`: it was, and is declared now.
   */
  readonly level: 'fine' | 'note' | 'trouble' | 'damaged' | 'fixed'
  /** A session, a file, a program; '' where the area says it. */
  readonly about: string
  /** For people. */
  readonly says: string
  /** What can be done next. */
  readonly next?: string
}

/** How session logs are looked at. */
export interface SessionsOptions {
  readonly home: string
  readonly store: SessionStore
  readonly now: () => number
  readonly fix: boolean
}
