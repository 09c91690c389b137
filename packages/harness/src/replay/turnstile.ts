import { type Failure, FailureError } from '@rein/session'

interface Waiter {
  readonly seq: number
  open(): void
  close(error: FailureError): void
}

/**
 * Holds back what would run at its own speed until the log has come to where the recording has it: so parallel work
 * ends in the order in which it ended.
 */
export class Turnstile {
  #waiting: Waiter[] = []
  #at = 0
  #over: FailureError | undefined

  /** Resolves once the log holds every event before `seq`, `Infinity`: never. Rejects when the replay is over. */
  before(seq: number): Promise<void> {
    if (this.#over) return Promise.reject(this.#over)
    if (seq <= this.#at) return Promise.resolve()
    return new Promise((open, close) => this.#waiting.push({ seq, open, close }))
  }

  /** The log holds so many events now. */
  reached(length: number): void {
    this.#at = length
    const [ready, rest] = [
      this.#waiting.filter(({ seq }) => seq <= length),
      this.#waiting.filter((w) => w.seq > length),
    ]
    this.#waiting = rest
    for (const { open } of ready) open()
  }

  /** Nothing moves any more: let on what came first, and see what it does. @returns false when nothing waits. */
  letOn(): boolean {
    const at = this.#waiting.findIndex(({ seq }) => Number.isFinite(seq))
    const [first] = at < 0 ? [] : this.#waiting.splice(at, 1)
    first?.open()
    return first !== undefined
  }

  close(failure: Failure): void {
    this.#over = new FailureError(failure)
    const waiting = this.#waiting
    this.#waiting = []
    for (const { close } of waiting) close(this.#over)
  }
}
