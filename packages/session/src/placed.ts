import type { ReadOptions } from './damage.ts'
import type { DataOf, SessionEvent } from './events/index.ts'
import { chain, encodeLine, freeze, isHash } from './line.ts'
import type { Found } from './records.ts'

/** The events of a log that have their places, each chained to the one before or behind a declared loss. */
export class Placed {
  readonly #options: ReadOptions
  readonly #events: SessionEvent[] = []
  #head = ''
  /** Behind a lost event the next record cannot be tied to what it followed. */
  #restarted = false
  /** A loss whose line waits for the record behind it, which it then vouches for. */
  #loss: DataOf<'session/damage'> | undefined

  constructor(options: ReadOptions) {
    this.#options = options
  }

  get events(): readonly SessionEvent[] {
    return this.#events
  }

  get restarted(): boolean {
    return this.#restarted
  }

  /** Whether a hash says that these bytes follow the last event. */
  follows(before: string | Uint8Array, hash: string): boolean {
    return !this.#loss && chain(this.#head, before, this.#options.hasher) === hash
  }

  /**
   * Whether a record behind a loss is whole, as far as the damage before it tells. Nothing else does.
   * @param readable whether this version knows what it is: a new type is not believed in a record nothing vouches for.
   */
  vouchesFor(found: Found, readable: () => boolean): boolean {
    if (!this.#restarted) return false
    const last = this.#loss ? undefined : this.#events.at(-1)
    const next = last?.type === 'session/damage' ? last.data.next : undefined
    return next === undefined ? isHash(found.hash) && readable() : this.#digest(found) === next
  }

  add(event: SessionEvent, found: Found): void {
    const { text, hash } = found
    if (this.#loss) this.#writeLoss(this.#digest(found))
    this.#events.push(freeze(event))
    this.#options.onLine?.(text)
    this.#head = hash
    this.#restarted = event.type === 'session/damage' && event.data.events > 0
  }

  declare(found: DataOf<'session/damage'>): void {
    this.close()
    const { aside } = this.#options
    const data = { ...found, ...(aside !== undefined && { aside }) }
    const time = this.#events.at(-1)?.time ?? 0
    this.#events.push({ seq: this.#events.length, time, type: 'session/damage', data, hash: '' })
    this.#loss = data
    this.#restarted = found.events > 0
    if (!this.#restarted) this.close()
  }

  /** Nothing more comes behind the last loss. */
  close(): void {
    if (this.#loss) this.#writeLoss(undefined)
  }

  #writeLoss(next: string | undefined): void {
    const event = this.#events.pop()
    if (!event || !this.#loss) return
    const data = { ...this.#loss, ...(next !== undefined && { next }) }
    const { hasher, onLine } = this.#options
    const { seq, time } = event
    const { line, hash } = encodeLine({ seq, time, previous: this.#head }, { type: 'session/damage', data }, hasher)
    this.#events.push(freeze({ seq, time, type: 'session/damage', data, hash }))
    onLine?.(line)
    this.#head = hash
    this.#loss = undefined
  }

  /** Of all of a record: its own hash is chained to what is lost. */
  #digest({ before, hash }: Found): string {
    return chain(hash, before, this.#options.hasher)
  }
}
