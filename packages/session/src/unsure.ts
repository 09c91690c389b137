import type { InboxItem } from './events/inbox.ts'
import type { SessionEvent } from './events/index.ts'
import { inbox, waitingIn } from './folds/inbox.ts'

/**
 * Waiting input of which nobody can say any more whether it was claimed: it was posted before events that are lost, and
 * one of these may have been the claim. To run it again could do everything twice.
 *
 * A turn claims all of next-step at its steps, and one item of next-turn. So what waits while no turn runs is sure, and
 * of next-turn only as many items are unsure as the lost events had room for turns.
 */
export function unsure(events: readonly SessionEvent[]): readonly InboxItem[] {
  const found = new Suspicion()
  if (events.some((event) => event.type === 'session/damage' && event.data.events > 0))
    for (const event of events) found.see(event)
  return found.items()
}

class Suspicion {
  #inbox = inbox.initial
  readonly #unsure = new Set<string>()
  /** Unsure since the last `turn/start` or `turn/end` that was read. */
  #since = new Set<string>()
  #open = false
  /** Whether the item of next-turn that this turn took is known. */
  #took = false
  /** How many events are lost since then. */
  #lost = 0

  see(event: SessionEvent): void {
    if (event.type === 'turn/start' || event.type === 'turn/end') this.#boundary(event.type === 'turn/start')
    if (event.type === 'session/damage' && event.data.events > 0) this.#lose(event.data.events)
    const before = this.#inbox.nextTurn
    this.#inbox = inbox.step(this.#inbox, event)
    const gate = event.type === 'inbox/spliced' && (event.data.reason === 'refused' || event.data.reason === 'dropped')
    if (event.type === 'user/message' || gate) this.#took ||= this.#inbox.nextTurn.length < before.length
  }

  items(): readonly InboxItem[] {
    return waitingIn(this.#inbox).filter(({ id }) => this.#unsure.has(id) || this.#since.has(id))
  }

  #boundary(starts: boolean): void {
    // A turn begins when the one before has ended: the one event that is lost was its end.
    const wasEnd = starts && this.#open && this.#lost === 1
    if (!wasEnd) for (const id of this.#since) this.#unsure.add(id)
    this.#since = new Set()
    this.#open = starts
    this.#took = false
    this.#lost = 0
  }

  /** A turn takes three events at least to claim one more of next-turn: its start, the claim, and the end before or after. */
  #lose(events: number): void {
    this.#lost += events
    const { nextStep, nextTurn } = this.#inbox
    const ahead = this.#took ? 0 : this.#open ? 2 : 1
    const unsureItems = nextTurn.slice(0, Math.floor((this.#lost + ahead) / 3))
    if (this.#open || this.#lost > 1) for (const item of nextStep) unsureItems.push(item)
    for (const { id } of unsureItems) this.#since.add(id)
  }
}
