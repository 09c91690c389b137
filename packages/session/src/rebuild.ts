import type { ReadBlob } from './dialect/encoder.ts'
import type { EventNamed, SessionEvent } from './events/index.ts'
import type { Header } from './events/request.ts'
import type { Surface } from './folds/surface.ts'
import type { NewHasher } from './hasher.ts'
import { Derivation, type DerivedRequest } from './request.ts'
import { SharedList } from './shared.ts'
import type { Result } from './store.ts'
import { addedTo, SurfaceChain, type SurfaceEnd } from './surface-chain.ts'

/**
 * Rebuilds requests from events alone, one after the other. `verify` feeds it a whole log and needs hashes only; the
 * writer feeds it its own stored lines, and sends nothing that differs.
 */
export class Rebuild {
  readonly #derivation: Derivation
  readonly #headers = new Map<number, Header>()
  readonly #surfaces = new SurfaceChain()
  /** The surface that was asked for last: the next one mostly goes on with it. */
  #last: { readonly end: SurfaceEnd | undefined; readonly surface: Surface } = {
    end: undefined,
    surface: { messages: SharedList.of() },
  }

  /** @param options.keep whether bodies are made; default: only their hashes. */
  constructor({ keep = false, ...options }: { hasher: NewHasher; blob: ReadBlob; keep?: boolean }) {
    this.#derivation = new Derivation({ ...options, keep })
  }

  feed(event: SessionEvent): void {
    if (event.type === 'request/header') this.#headers.set(event.seq, event.data)
    this.#surfaces.feed(event)
  }

  /** @returns the request `sent` names; a failure when it cannot be rebuilt. */
  request({ data }: EventNamed<'request/sent'>): Result<DerivedRequest> {
    const header = this.#headers.get(data.header)
    if (!header) {
      const message = `request ${data.id} names header ${data.header}, which is not in the log`
      return { ok: false, failure: { code: 'SESSION_DAMAGED', message } }
    }
    const from = { surface: this.#surfaceAt(data.at), header, headerSeq: data.header, at: data.at, extra: data.extra }
    return this.#derivation.derive(from, [])
  }

  /** Whether one of these events stands on the surface after event `seq` of those that were fed. */
  holdsAt(seq: number, events: Iterable<number>): boolean {
    return this.#surfaces.holdsAt(seq, events)
  }

  #surfaceAt(seq: number): Surface {
    const end = this.#surfaces.at(seq)
    const added = addedTo(this.#last.end, end)
    const all = added?.reduce((list, message) => list.push(message), this.#last.surface.messages)
    this.#last = { end, surface: { messages: all ?? SharedList.of(this.#surfaces.messagesAt(seq)) } }
    return this.#last.surface
  }
}
