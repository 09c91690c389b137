import type { EventNamed, SessionEvent } from '@rein/session'
import { callsIn } from '../agent/settlement.ts'
import { poolSize } from '../tools/batch.ts'

/** Where in a recording the calls are asked about, begin and end. */
export class CallPlaces {
  readonly #decided = new Map<string, EventNamed<'approval/decided'>>()
  readonly #asked = new Set<string>()
  readonly #first = new Map<string, number>()
  readonly #begun = new Map<string, number>()
  readonly #results = new Map<string, EventNamed<'tool/result'>>()
  /** Calls that made room for another one before their result had its turn. */
  readonly #early = new Map<string, number>()

  constructor(events: readonly SessionEvent[]) {
    for (const event of events) this.#see(event)
    let batch: readonly string[] = []
    for (const event of events) {
      if (event.type === 'assistant/message') batch = callsIn(event.data.content).map(({ id }) => id)
      if (event.type !== 'approval/asked' && event.type !== 'tool/call') continue
      const ahead = batch.slice(0, Math.max(0, batch.indexOf(event.data.call)))
      if (this.#first.get(event.data.call) === event.seq) this.#makeRoom(ahead, { at: event.seq, events })
    }
  }

  /** Seq of the first thing that is recorded of a call: before it nothing of the call may be decided. */
  first(call: string): number {
    return Math.min(this.#first.get(call) ?? 0, this.#early.get(call) ?? Number.POSITIVE_INFINITY)
  }

  /** Seq of what follows once it is known whether a call may run: its beginning, else its result. */
  permitted(call: string): number | undefined {
    return this.#begun.get(call) ?? this.ended(call)
  }

  /** The appended result. */
  result(call: string): EventNamed<'tool/result'> | undefined {
    return this.#results.get(call)
  }

  /** Seq before which the run of the call was over. */
  ended(call: string): number | undefined {
    return this.#early.get(call) ?? this.#results.get(call)?.seq
  }

  /** Whether somebody was asked about the call, whatever the answer. */
  wasAsked(call: string): boolean {
    return this.#asked.has(call)
  }

  decided(question: string): EventNamed<'approval/decided'> | undefined {
    return this.#decided.get(question)
  }

  #see(event: SessionEvent): void {
    if (event.type === 'approval/decided') this.#decided.set(event.data.id, event)
    if (event.type !== 'approval/asked' && event.type !== 'tool/call' && event.type !== 'tool/result') return
    const { call } = event.data
    if (!this.#first.has(call)) this.#first.set(call, event.seq)
    if (event.type === 'approval/asked') this.#asked.add(call)
    if (event.type === 'tool/call') this.#begun.set(call, event.seq)
    if (event.type === 'tool/result' && event.surface === 'append' && !this.#results.has(call))
      this.#results.set(call, event)
  }

  /** Of a full pool one was over when another call began: one whose result only waited for those before it. */
  #makeRoom(ahead: readonly string[], { at, events }: { at: number; events: readonly SessionEvent[] }): void {
    const running = ahead.filter((call) => this.#runs(call, at))
    for (let left = running.length - poolSize + 1; left > 0; left--) {
      const done = running.find((call) => {
        const before = (this.#results.get(call)?.seq ?? 0) - 1
        return !this.#early.has(call) && before > at && events[before]?.type === 'tool/result'
      })
      if (done !== undefined) this.#early.set(done, at)
    }
  }

  /** What was refused before a guard saw it never ran beside others. */
  #runs(call: string, at: number): boolean {
    const result = this.#results.get(call)
    if (this.#early.has(call) || (result && result.seq < at)) return false
    return this.#begun.has(call) || result?.data.outcome.kind !== 'failed'
  }
}
