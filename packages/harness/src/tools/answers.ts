import type { Posted } from '@rein/session'
import type { Decision } from './ports.ts'

type Answer = Extract<Posted, { kind: 'answer' }>

/** Questions of this session that wait, and the answers to them that others post. */
export class Answers {
  readonly #waiting = new Map<string, (decision: Decision) => void>()

  /** Resolves with the first answer that is posted to the question; never when none is. */
  to(question: string): Promise<Decision> {
    return new Promise((resolve) => this.#waiting.set(question, resolve))
  }

  forget(question: string): void {
    this.#waiting.delete(question)
  }

  /** An answer to a question that is over, or that nobody asked, changes nothing. */
  give({ to, answer, by }: Answer): void {
    this.#waiting.get(to)?.({ decision: answer === 'allowed-once' ? 'allowed-once' : 'denied', by })
  }
}
