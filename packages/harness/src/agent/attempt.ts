import type { Block, EventNamed, Failure, LiveSession, Origin, Ports, RequestKind, Result } from '@rein/session'
import { BlobCache, Derivation, fold, header, owed, sentRecord, surface } from '@rein/session'
import { assembler, type Delta, type Reply } from '../model/assembler.ts'
import type { Chunk } from '../model/chunk.ts'
import type { EncodedRequest, Provider } from '../model/provider.ts'
import type { ToolSet } from '../tools/ports.ts'
import { headerInForce, type ModelChoice } from './header.ts'
import type { AgentParts, Redaction } from './parts.ts'
import { diverged, type Settlement, settle } from './settlement.ts'
import { Witness } from './witness.ts'

export interface AttemptOptions {
  readonly choice: ModelChoice
  readonly provider: Provider
  readonly set: ToolSet
  readonly kind: RequestKind
  readonly signal: AbortSignal
  readonly onDelta: (delta: Delta) => void
}

export interface Attempted {
  readonly id: string
  readonly origin: Origin
  readonly reply: Reply
  readonly settlement: Settlement
}

/** Makes the model calls of one session: derive → freeze → log → prove → send → settle. */
export class Requests implements Disposable {
  readonly #session: LiveSession
  readonly #ports: Ports
  readonly #redact: Redaction
  readonly #blobs: BlobCache
  readonly #derivation: Derivation
  readonly #witness: Witness
  #primed = false

  constructor({ session, ports, redact }: Pick<AgentParts, 'session' | 'ports' | 'redact'>) {
    this.#session = session
    this.#ports = ports
    this.#redact = redact
    this.#blobs = new BlobCache(session.log, session.store.blobs(session.id))
    const made = { hasher: ports.hasher, blob: this.#blobs.read }
    this.#derivation = new Derivation({ ...made, keep: true })
    this.#witness = new Witness(session.log, made)
  }

  [Symbol.dispose](): void {
    this.#witness[Symbol.dispose]()
    this.#blobs[Symbol.dispose]()
  }

  /** One attempt. Writes its own `request/sent` and exactly one `request/settled` (rule 14); a failure wrote neither. */
  async attempt(options: AttemptOptions): Promise<Result<Attempted>> {
    const { log } = this.#session
    const { seq, header: inForce } = headerInForce(log, options)
    await this.#blobs.load()
    this.#prime()
    const at = log.events.length - 1
    const from = { surface: log.state(surface), header: inForce, headerSeq: seq, at, extra: null }
    const derived = this.#derivation.derive(from, log.events)
    if (!derived.ok) return derived
    const id = this.#ports.id('rq')
    const sent = log.append('request/sent', sentRecord(from, derived.value, { id, kind: options.kind }))
    await log.written(sent.seq)
    const { body, bytes, sha256 } = derived.value
    if (!this.#witness.confirms(sent, body)) return this.#settled(id, refused(diverged), options)
    const request: EncodedRequest = { id, kind: options.kind, header: inForce, body, bytes, sha256 }
    return this.#settled(id, await this.#stream(request, options), options)
  }

  async #stream(request: EncodedRequest, options: AttemptOptions): Promise<Reply> {
    const { log } = this.#session
    const assembled = assembler({
      now: this.#ports.now,
      taken: (id) => log.state(owed).callIds.has(id),
      mint: () => this.#ports.id('call'),
      onDelta: options.onDelta,
    })
    for await (const chunk of untilStopped(options.provider.stream(request, options.signal), options.signal))
      assembled.push(chunk)
    return this.#redact.reply(assembled.end(options.signal.aborted ? 'cancelled' : undefined))
  }

  #settled(id: string, reply: Reply, { choice, provider, signal }: AttemptOptions): Result<Attempted> {
    const { log } = this.#session
    const origin = { provider: choice.provider, dialect: provider.dialect, model: choice.model }
    // A reply that came whole before the person stopped it is whole.
    const cancelled = signal.aborted && reply.finish === null
    const { price } = provider.facts(choice.model)
    const settlement = settle(reply, { id, origin, price, cancelled })
    log.append('request/settled', settlement.settled)
    if (settlement.message) log.append('assistant/message', settlement.message)
    return { ok: true, value: { id, origin, reply, settlement } }
  }

  /** After opening a log: the next request is compared with the last one it holds. */
  #prime(): void {
    if (this.#primed) return
    this.#primed = true
    const { events } = this.#session.log
    const last = events.findLast((event): event is EventNamed<'request/sent'> => event.type === 'request/sent')
    if (!last) return
    const { at } = last.data
    const known = fold(header, events, last.seq)
    if (known?.seq !== last.data.header) return
    const shown = fold(surface, events, at + 1)
    this.#derivation.derive({ surface: shown, header: known.header, headerSeq: known.seq, at, extra: null }, events)
  }
}

/** The same chunks, ended by the signal whether the provider listens to it or not. */
async function* untilStopped(chunks: AsyncIterable<Chunk>, signal: AbortSignal): AsyncGenerator<Chunk> {
  const iterator = chunks[Symbol.asyncIterator]()
  let stopped: () => void = () => undefined
  const onAbort = () => stopped()
  signal.addEventListener('abort', onAbort)
  try {
    for (;;) {
      // A promise a chunk: a race against one that lives as long as the stream would keep every chunk alive.
      const next = await new Promise<IteratorResult<Chunk> | undefined>((resolve, reject) => {
        stopped = () => resolve(undefined)
        if (signal.aborted) stopped()
        else iterator.next().then(resolve, reject)
      })
      if (!next || next.done) return
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    // Not awaited: what does not listen may never end.
    void iterator.return?.().catch(() => undefined)
  }
}

/** A call that was not made, in the form of a reply. */
const refused = (failure: Failure): Reply => ({
  content: [] as readonly Block[],
  dropped: [],
  finish: null,
  usage: null,
  failure,
  timing: { connectMs: null, firstByteMs: null, totalMs: 0 },
  violations: [],
})
