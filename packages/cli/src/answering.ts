import { ApprovalQueue } from '@rein/harness'
import { fold, type Json, owed, type SessionEvent, type Store } from '@rein/session'
import { askOnTerminal } from './asking.ts'
import type { Cli } from './cli.ts'

/**
 * The open questions of a session that another process holds, asked on this terminal too. An answer is posted there; the
 * first one counts, wherever it comes from. Leaving without one is no answer: whoever sits there can still give it.
 */
export class Answering implements Disposable {
  readonly #cli: Cli
  readonly #store: Store
  readonly #id: string
  readonly #queue = new ApprovalQueue()
  /** What takes a question away again, by its id, and where it was asked. */
  readonly #asked = new Map<string, { readonly seq: number; readonly over: AbortController }>()
  readonly #terminal: Disposable

  /** @param of.events the log so far. */
  constructor(cli: Cli, of: { readonly store: Store; readonly id: string; readonly events: readonly SessionEvent[] }) {
    this.#cli = cli
    this.#store = of.store
    this.#id = of.id
    this.#terminal = askOnTerminal(cli, this.#queue, ({ request, said }) => {
      this.#queue.answer(request.id, said.decision)
    })
    const open = new Set(fold(owed, of.events).approvals)
    for (const event of of.events) if (event.type === 'approval/asked' && open.has(event.data.id)) this.event(event)
  }

  event(event: SessionEvent): void {
    if (event.type === 'approval/decided') this.#takeAway(event.data.id)
    if (event.type !== 'approval/asked' || this.#asked.has(event.data.id)) return
    const { id, call, what, detail } = event.data
    const over = new AbortController()
    this.#asked.set(id, { seq: event.seq, over })
    const request = {
      id,
      call,
      what,
      ...(detail !== undefined && { detail: withoutOffer(detail) }),
      signal: over.signal,
    }
    void this.#queue.ask(request).then(async ({ decision, by, words }) => {
      if (decision === 'unanswered') return
      const answer = decision === 'allowed-once' ? decision : { words: words ?? '' }
      const posted = await this.#store.post(this.#id, {
        kind: 'answer',
        id: `${id}-${crypto.randomUUID()}`,
        to: id,
        answer,
        by,
      })
      if (!posted.ok) this.#cli.err(`rein: ${posted.failure.message}\n`)
    })
  }

  /** Another log was published: what was asked from there on is asked no more. */
  reset(from: number): void {
    for (const [id, { seq }] of this.#asked) if (seq >= from) this.#takeAway(id)
  }

  [Symbol.dispose](): void {
    for (const id of [...this.#asked.keys()]) this.#takeAway(id)
    this.#terminal[Symbol.dispose]()
  }

  #takeAway(id: string): void {
    this.#asked.get(id)?.over.abort()
    this.#asked.delete(id)
  }
}

/** A grant is written down by whoever holds the session, so none is offered here. */
function withoutOffer(detail: Json): Json {
  if (typeof detail !== 'object' || detail === null || Array.isArray(detail)) return detail
  return Object.fromEntries(Object.entries(detail).filter(([key]) => key !== 'offer'))
}
