import type { EventNamed, SessionEvent } from '@rein/session'
import { poolSize } from '../tools/batch.ts'

/** Where in a recording the calls are asked about, begin and end. */
export class CallPlaces {
  readonly #decided = new Map<string, EventNamed<'approval/decided'>>()
  readonly #first = new Map<string, number>()
  readonly #begun = new Map<string, number>()
  readonly #results = new Map<string, EventNamed<'tool/result'>>()
  /** Calls that made room for another one before their result had its turn. */
  readonly #early = new Map<string, number>()

  constructor(events: readonly SessionEvent[]) {
    for (const event of events) this.#see(event)
    let running: readonly string[] = []
    for (const event of events) {
      if (event.type === 'session/resume') running = []
      else if (event.type === 'tool/result') running = running.filter((id) => id !== event.data.call)
      else if (event.type === 'tool/call') {
        const done = running.length < poolSize ? undefined : this.#doneEarly(running, { at: event.seq, events })
        if (done !== undefined) this.#early.set(done, event.seq)
        running = [...running.filter((id) => id !== done), event.data.call]
      }
    }
  }

  /** Seq of the first thing that is recorded of a call: before it nothing of the call may be decided. */
  first(call: string): number | undefined {
    return this.#first.get(call)
  }

  /** Seq of what follows once it is known whether a call may run: its beginning, else its result. */
  permitted(call: string): number | undefined {
    return this.#begun.get(call) ?? this.#results.get(call)?.seq
  }

  /** The appended result. */
  result(call: string): EventNamed<'tool/result'> | undefined {
    return this.#results.get(call)
  }

  /** Seq before which the run of the call was over. */
  ended(call: string): number | undefined {
    return this.#early.get(call) ?? this.#results.get(call)?.seq
  }

  decided(question: string): EventNamed<'approval/decided'> | undefined {
    return this.#decided.get(question)
  }

  #see(event: SessionEvent): void {
    if (event.type === 'approval/decided') this.#decided.set(event.data.id, event)
    if (event.type !== 'approval/asked' && event.type !== 'tool/call' && event.type !== 'tool/result') return
    const { call } = event.data
    if (!this.#first.has(call)) this.#first.set(call, event.seq)
    if (event.type === 'tool/call') this.#begun.set(call, event.seq)
    if (event.type === 'tool/result' && event.surface === 'append' && !this.#results.has(call))
      this.#results.set(call, event)
  }

  /** Of a full pool one was over when another call began: one whose result only waited for those before it. */
  #doneEarly(
    running: readonly string[],
    { at, events }: { at: number; events: readonly SessionEvent[] },
  ): string | undefined {
    return running.find((call) => {
      const before = (this.#results.get(call)?.seq ?? 0) - 1
      return before > at && events[before]?.type === 'tool/result'
    })
  }
}
