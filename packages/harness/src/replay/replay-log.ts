import type { AppendOptions, DataOf, EventNamed, EventType, Failure, LineSink, Ports } from '@rein/session'
import { FailureError, SessionLog } from '@rein/session'
import { type Appended, eventDifference, type Place } from './difference.ts'
import type { Recording } from './recording.ts'

/** Today's event where it is not the recorded one. */
export interface Parting {
  /** Seq in the recording. */
  readonly seq: number
  readonly now: Appended
  readonly place: Place
}

export interface ReplayLogOptions {
  readonly recording: Recording
  readonly from: number
  readonly until: number
  readonly ports: Ports
  readonly sink: LineSink
  /** Called before each event, and after each; may append what is given. */
  readonly before: () => void
  readonly onEvent: () => void
  /** @returns true when the difference was taken down and the recorded event is to stand. */
  readonly tolerates: (parting: Parting) => boolean
}

/** Ends whatever still runs of an agent whose replay is over. */
export const over: Failure = { code: 'REQUEST_DIVERGED', message: 'The replay is over.' }

/**
 * A log in which only what the recording has can be appended: the first event that is another one is kept in
 * `parting`, and from then on, as after the last event, nothing can be appended any more.
 */
export class ReplayLog extends SessionLog {
  parting: Parting | undefined
  /** Nothing more can be appended. */
  closed = false
  readonly #options: ReplayLogOptions

  constructor(options: ReplayLogOptions) {
    const { ports, sink, recording, from } = options
    super({ ports, sink, events: recording.events.slice(0, from) })
    this.#options = options
  }

  override append<T extends EventType>(type: T, data: DataOf<T>, options: AppendOptions = {}): EventNamed<T> {
    const { recording, until, before, onEvent, tolerates } = this.#options
    before()
    if (this.closed) throw new FailureError(over)
    const seq = this.events.length
    const then = recording.events[seq]
    if (!then) throw new FailureError(over)
    const now = {
      type,
      data,
      ...surfaceOf(then.surface, options),
      ...(options.sources && { sources: options.sources }),
    }
    const place = eventDifference(then, now)
    if (place && !tolerates({ seq, now, place })) {
      this.part({ seq, now, place })
      onEvent()
      throw new FailureError(over)
    }
    // The recorded event stands: durations included, so that what follows is derived from the same log.
    const kept = { ...options, ...(then.surface && { surface: then.surface }) }
    const event = super.append(type, then.data as DataOf<T>, kept)
    if (this.events.length >= until) this.closed = true
    onEvent()
    return event
  }

  /** The replay goes another way here. */
  part(parting: Parting): void {
    this.parting ??= parting
    this.closed = true
  }
}

/** Messages are appended where nothing else is said; the recording says so of itself. */
const surfaceOf = (then: unknown, { surface }: AppendOptions) => {
  const stands = surface ?? (then === 'append' ? 'append' : undefined)
  return stands === undefined ? {} : { surface: stands }
}
