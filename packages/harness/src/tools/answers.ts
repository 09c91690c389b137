import type { Json, Posted } from '@rein/session'
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
    const allowed = answer === 'allowed-once'
    const words = allowed ? undefined : wordsIn(answer)
    this.#waiting.get(to)?.({ decision: allowed ? answer : 'denied', by, ...(words !== undefined && { words }) })
  }
}

/** What a no may say to the model: `{ "words": "use pnpm" }`. */
function wordsIn(answer: Json): string | undefined {
  if (typeof answer !== 'object' || answer === null || !('words' in answer)) return undefined
  const { words } = answer
  return typeof words === 'string' && words.trim() !== '' ? words : undefined
}
