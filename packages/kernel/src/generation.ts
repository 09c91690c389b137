/** Counts uses; `idle` resolves as soon as nothing is in use. */
export class Holds {
  #count = 0
  readonly #waiting: (() => void)[] = []
  take(): void {
    this.#count++
  }
  drop(): void {
    if (--this.#count === 0) for (const wake of this.#waiting.splice(0)) wake()
  }
  idle(): Promise<void> {
    return this.#count === 0 ? Promise.resolve() : new Promise((wake) => this.#waiting.push(wake))
  }
}

/** Only what a live generation registered is consulted. */
export type Phase = 'staged' | 'live' | 'retired' | 'closed'

/** One run of one row. All scopes of the run share it, so swapping a whole row is two assignments. */
export class Generation {
  phase: Phase
  /** The run this one takes over from, until it has. */
  replaces: Generation | undefined
  /** Identity of the row, the same for a run and its replacement. */
  readonly row: object
  readonly holds = new Holds()
  /** Called after each swap this generation took part in. */
  readonly watchers = new Set<() => void>()
  constructor(phase: Phase, row: object = {}, replaces?: Generation) {
    this.phase = phase
    this.row = row
    this.replaces = replaces
  }
  /** The swap. Synchronous: nobody ever sees both runs, or neither. */
  goLive(): void {
    const old = this.replaces
    this.replaces = undefined
    if (old) old.phase = 'retired'
    this.phase = 'live'
    for (const swapped of [...this.watchers, ...(old?.watchers ?? [])]) swapped()
  }
}
