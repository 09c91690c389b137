import type { Ports } from '@rein/session'
import { nodeHasher } from '../store/hasher.ts'
import type { Recording } from './recording.ts'

/** Time and ids as they were: both are those of the event that is appended next. */
export class RecordedPorts implements Ports {
  readonly hasher = nodeHasher
  /** Ids of calls that were minted when a reply came in, in order. */
  minted: readonly string[] = []
  readonly #recording: Recording
  readonly #length: () => number
  #fresh = 0

  /** @param length how many events the log holds now. */
  constructor(recording: Recording, length: () => number) {
    this.#recording = recording
    this.#length = length
  }

  readonly now = (): number => {
    const { events } = this.#recording
    return (events[this.#length()] ?? events.at(-1))?.time ?? 0
  }

  readonly id = (prefix: string): string => (prefix === 'call' ? this.#mint() : this.#given()) ?? this.#new(prefix)

  #mint(): string | undefined {
    const [first, ...rest] = this.minted
    this.minted = rest
    return first
  }

  #given(): string | undefined {
    const data = this.#recording.events[this.#length()]?.data
    return data && 'id' in data ? data.id : undefined
  }

  /** Where the recording has no id to give: whatever it is for differs. */
  #new(prefix: string): string {
    this.#fresh += 1
    return `${prefix}-now-${this.#fresh}`
  }
}
