import { setTimeout as sleep } from 'node:timers/promises'
import type { Json } from '@rein/session'
import type { Decision } from '../tools/ports.ts'

/** One question about one call: what `approval/asked` records. */
export interface ApprovalRequest {
  readonly id: string
  readonly call: string
  /** The sentence a person decides on. */
  readonly what: string
  readonly detail?: Json
  /** Aborts when the turn is cancelled: whoever shows the question takes it away. */
  readonly signal: AbortSignal
}

/**
 * Somebody who can be asked. Only `allowed-once` allows (rule 11); a rejection counts as `unanswered`. A decision's `by`
 * is a client's name, or `headless`, `timeout`, `cancelled`, `nobody` or `error`.
 */
export interface Approvals {
  ask(request: ApprovalRequest): Promise<Decision>
}

/** Nobody is there: every question is answered no, at once. The headless default. */
export const neverApproves: Approvals = { ask: async () => ({ decision: 'denied', by: 'headless' }) }

/**
 * Ask, and take anything but a clear answer for none: an exception is `unanswered` by `error`, and a question whose
 * turn was cancelled is `unanswered` by `cancelled`, whatever comes later. Never rejects.
 */
export async function askSafely(approvals: Approvals, request: ApprovalRequest): Promise<Decision> {
  const { signal } = request
  const cancelled = Promise.withResolvers<Decision>()
  const cancel = (): void => cancelled.resolve({ decision: 'unanswered', by: 'cancelled' })
  if (signal.aborted) return { decision: 'unanswered', by: 'cancelled' }
  signal.addEventListener('abort', cancel, { once: true })
  try {
    return await Promise.race([approvals.ask(request), cancelled.promise])
  } catch (error) {
    return { decision: 'unanswered', by: 'error', words: error instanceof Error ? error.message : String(error) }
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/**
 * No answer within `ms` milliseconds is `unanswered` by `timeout`.
 * @param wait resolves after that time; rejects when its signal aborts.
 */
export const withinTime = (
  approvals: Approvals,
  ms: number,
  wait: (ms: number, signal: AbortSignal) => Promise<void> = (time, signal) => sleep(time, undefined, { signal }),
): Approvals => ({
  async ask(request) {
    const over = new AbortController()
    const late = wait(ms, over.signal).then(
      (): Decision => ({ decision: 'unanswered', by: 'timeout' }),
      // The wait was called off because there is an answer, and that one was returned already.
      (): Decision => ({ decision: 'unanswered', by: 'cancelled' }),
    )
    const signal = AbortSignal.any([request.signal, over.signal])
    try {
      return await Promise.race([askSafely(approvals, { ...request, signal }), late])
    } finally {
      over.abort()
    }
  },
})

/** Questions that wait until a client answers them: a dialog, or another process through the session's posts. */
export class ApprovalQueue implements Approvals {
  readonly #waiting = new Map<string, { readonly request: ApprovalRequest; readonly settle: (d: Decision) => void }>()
  readonly #listeners = new Set<() => void>()

  ask(request: ApprovalRequest): Promise<Decision> {
    const { promise, resolve } = Promise.withResolvers<Decision>()
    const { id, signal } = request
    const settle = (decision: Decision): void => {
      this.#waiting.delete(id)
      signal.removeEventListener('abort', withdraw)
      resolve(decision)
      this.#changed()
    }
    const withdraw = (): void => settle({ decision: 'unanswered', by: 'cancelled' })
    if (signal.aborted) return Promise.resolve({ decision: 'unanswered', by: 'cancelled' })
    if (this.#waiting.has(id)) throw new Error(`approval ${id} was asked twice`)
    signal.addEventListener('abort', withdraw, { once: true })
    this.#waiting.set(id, { request, settle })
    this.#changed()
    return promise
  }

  /** What waits for an answer, the oldest first. */
  pending(): readonly ApprovalRequest[] {
    return [...this.#waiting.values()].map(({ request }) => request)
  }

  /** @returns false when nothing of that id waits any more: it was answered, withdrawn or never asked. */
  answer(id: string, decision: Decision): boolean {
    const waiting = this.#waiting.get(id)
    waiting?.settle(decision)
    return waiting !== undefined
  }

  /** Called after every change of `pending`. */
  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}
