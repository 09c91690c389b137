import type { ScriptedReply } from '../../model/scripted-reply.ts'

/** Something that happened outside the session and that no crash can take back. */
export type Fact =
  /** The side effect of that label took place. */
  | { readonly kind: 'effect'; readonly label: string }
  /** Whoever posted this item was told that it is safe. */
  | { readonly kind: 'posted'; readonly session: string; readonly item: string }

/** What the world knows, whatever a log says: it lives on while the processes of a run die. */
export class World {
  /** How often each side effect took place. */
  readonly effects = new Map<string, number>()
  /** Acknowledged items by session. */
  readonly posted = new Map<string, Set<string>>()
  readonly #told: (fact: Fact) => void
  readonly #faults: Partial<ScriptedReply>[]
  #calls: number

  /**
   * @param options.faults what goes wrong with the model's next replies, one a request; `{}` is nothing.
   * @param options.told hears of every fact before anything else happens; a process that may die keeps them.
   * @param options.callsFrom number of the first call id, so that two processes of one run give none twice.
   */
  constructor(
    options: {
      readonly faults?: readonly Partial<ScriptedReply>[]
      readonly told?: (fact: Fact) => void
      readonly callsFrom?: number
    } = {},
  ) {
    this.#faults = [...(options.faults ?? [])]
    this.#told = options.told ?? (() => undefined)
    this.#calls = options.callsFrom ?? 0
  }

  happened(fact: Fact): void {
    this.#told(fact)
    if (fact.kind === 'effect') this.effects.set(fact.label, (this.effects.get(fact.label) ?? 0) + 1)
    else this.posted.set(fact.session, (this.posted.get(fact.session) ?? new Set()).add(fact.item))
  }

  /** What is wrong with the reply that is about to be given; an outage passes, and is not there after a crash again. */
  nextFault(): Partial<ScriptedReply> {
    return this.#faults.shift() ?? {}
  }

  callId(): string {
    return `call-${this.#calls++}`
  }
}
