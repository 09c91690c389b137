import { nodeHasher } from '@rein/harness'
import { encodeLine, type SessionEvent, type SessionLog } from '@rein/session'
import type { Cli } from './cli.ts'
import { ReaderGone } from './writer.ts'

/** The events of `--json`: each line as it stands in the log, once it is written there, at the reader's pace. */
export class EventStream implements Disposable {
  readonly #log: SessionLog
  readonly #out: Cli['out']
  readonly #listening: Disposable
  readonly #gone: () => void
  #next: number
  #written: number
  #pumping: Promise<void> | undefined

  /**
   * @param options `from`: the first event, default where this process opened the session; `gone`: called once, when
   * the reader closed its side and nobody wants the rest.
   */
  constructor(cli: Cli, log: SessionLog, { from, gone }: { readonly from: number | undefined; gone(): void }) {
    this.#log = log
    this.#out = cli.out
    this.#gone = gone
    const opened = beginning(log.events)
    this.#next = from ?? opened
    this.#written = opened - 1
    this.#listening = log.onWritten(({ seq }) => {
      this.#written = seq
      this.#pumping ??= this.#pump()
    })
  }

  /** Everything that is written is with the reader. @throws ReaderGone when there is none. */
  async drained(): Promise<void> {
    if (this.#log.poison === undefined) {
      await this.#log.written()
      this.#written = this.#log.events.length - 1
    }
    while (this.#next <= this.#written) await (this.#pumping ?? this.#pump())
    await this.#pumping
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]()
  }

  async #pump(): Promise<void> {
    try {
      while (this.#next <= this.#written) {
        const event = this.#log.events[this.#next]
        if (!event) throw new Error(`event ${this.#next} was written and is not in the log`)
        this.#next++
        await this.#out(`${lineOf(event, this.#log.events[event.seq - 1]?.hash ?? '')}\n`)
      }
    } catch (error) {
      if (!(error instanceof ReaderGone)) throw error
      this.#next = Number.POSITIVE_INFINITY
      this.#gone()
    } finally {
      this.#pumping = undefined
    }
  }
}

/** The first event of this run: where this process created, opened or forked the session. */
const beginning = (events: readonly SessionEvent[]): number =>
  Math.max(
    0,
    events.findLastIndex(
      ({ type }) => type === 'session/start' || type === 'session/resume' || type === 'session/fork',
    ),
  )

/** An event's line in the log: the encoding is a function of the event and the hash before it. */
function lineOf(event: SessionEvent, previous: string): string {
  const { seq, time, hash, ...draft } = event
  const encoded = encodeLine({ seq, time, previous }, draft, nodeHasher)
  // After damage the chain restarts, and the line before is not what this one was chained to.
  return encoded.hash === hash ? encoded.line : encoded.line.replace(encoded.hash, hash)
}
