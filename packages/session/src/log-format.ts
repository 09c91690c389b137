import type { SessionEvent } from './events/index.ts'
import type { Failure } from './failure.ts'
import { faultOf, isKnown } from './line.ts'
import { type Formats, formatOf, knownFormats, type Migration, migrated, pathFrom } from './migrate.ts'

/** The format of a log that is being read: what its records are in the newest one, and whether they can be read. */
export class LogFormat {
  readonly #formats: Formats
  #format: number
  /** From the log's format to the newest. */
  #path: readonly Migration[] = []

  /** @param formats default: those this version knows. A log that does not say its format has the newest. */
  constructor(formats: Formats = knownFormats) {
    this.#formats = formats
    this.#format = formats.newest
  }

  get number(): number {
    return this.#format
  }

  /** @param first whether it is the first of the log, which says the format. */
  eventOf(event: SessionEvent, first: boolean): SessionEvent {
    const said = first ? formatOf(event) : undefined
    if (said !== undefined) {
      this.#format = said
      this.#path = pathFrom(said, this.#formats)
    }
    return migrated(event, this.#path)
  }

  /**
   * What is wrong with an event of the newest format, in words. A type or a format of a newer version is no fault: what
   * it means is decided where the record has its place.
   */
  faultOf(event: SessionEvent): string | undefined {
    return !isKnown(event.type) || this.#isNewer(event) ? undefined : faultOf(event)
  }

  /** Why a log with this event in its place cannot be read by this version; undefined when it can. */
  refusal(event: SessionEvent, before: readonly SessionEvent[]): Failure | undefined {
    const newer = this.#isNewer(event)
    if (!newer && (isKnown(event.type) || event.ignorable)) return undefined
    const writer = writerOf(newer ? [event] : before)
    return {
      code: 'FORMAT_TOO_NEW',
      message: newer
        ? `the log is of a newer format than ${this.#formats.newest}; rein ${writer} wrote it`
        : `event ${event.seq} is of the unknown type ${JSON.stringify(event.type)}; rein ${writer} wrote the log`,
      next: `Open this session with rein ${writer} or newer.`,
    }
  }

  #isNewer(event: SessionEvent): boolean {
    return (formatOf(event) ?? 0) > this.#formats.newest
  }
}

function writerOf(events: readonly SessionEvent[]): string {
  const written = events.findLast((event) => event.type === 'session/start' || event.type === 'session/resume')
  return written?.data.rein ?? '(unknown version)'
}
