import type { EventNamed, NewHasher, ReadBlob, SessionEvent, SessionLog } from '@rein/session'
import { Rebuild } from '@rein/session'

/**
 * The runtime assertion of "the log is the truth": rebuilds each request from the lines that were stored since the
 * last one, parsed anew, and not from anything in memory that made the request.
 */
export class Witness implements Disposable {
  readonly #rebuild: Rebuild
  readonly #listening: Disposable
  #lines: string[] = []

  /** @param log as opened: what it holds by now was read from stored lines. */
  constructor(log: SessionLog, options: { hasher: NewHasher; blob: ReadBlob }) {
    this.#rebuild = new Rebuild({ ...options, keep: true })
    for (const event of log.events) this.#rebuild.feed(event)
    this.#listening = log.onLine((line, event) => {
      if (matters(event)) this.#lines.push(line)
    })
  }

  /** Whether the stored lines give these bytes, which are about to leave: every one of them is compared. */
  confirms(sent: EventNamed<'request/sent'>, body: readonly Uint8Array[]): boolean {
    for (const line of this.#lines) this.#rebuild.feed(JSON.parse(line) as SessionEvent)
    this.#lines = []
    const made = this.#rebuild.request(sent)
    return made.ok && made.value.sha256 === sent.data.sha256 && sameBytes(made.value.body, body)
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]()
  }
}

/** What a body is made of: messages, rewinds and headers. */
const matters = (event: SessionEvent): boolean =>
  event.surface !== undefined || event.type === 'session/rewound' || event.type === 'request/header'

/** Both were put into blocks by the same rule, so equal bodies have equal blocks. */
const sameBytes = (a: readonly Uint8Array[], b: readonly Uint8Array[]): boolean =>
  a.length === b.length && a.every((block, at) => Buffer.compare(block, b[at] ?? block.subarray(1)) === 0)
