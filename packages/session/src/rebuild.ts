import type { ReadBlob } from './dialect/encoder.ts'
import type { EventNamed, SessionEvent } from './events/index.ts'
import type { Header } from './events/request.ts'
import { fold } from './fold.ts'
import { type Surface, surface } from './folds/surface.ts'
import type { NewHasher } from './hasher.ts'
import { Derivation, type DerivedRequest } from './request.ts'
import type { Result } from './store.ts'

/**
 * Rebuilds requests from events alone, one after the other. `verify` feeds it a whole log and needs hashes only; the
 * writer feeds it its own stored lines, and sends nothing that differs.
 */
export class Rebuild {
  readonly #derivation: Derivation
  readonly #headers = new Map<number, Header>()
  /** Only what the surface is made of. */
  readonly #messages: SessionEvent[] = []
  #surface: Surface = surface.initial

  /** @param options.keep whether bodies are made; default: only their hashes. */
  constructor({ keep = false, ...options }: { hasher: NewHasher; blob: ReadBlob; keep?: boolean }) {
    this.#derivation = new Derivation({ ...options, keep })
  }

  feed(event: SessionEvent): void {
    if (event.type === 'request/header') this.#headers.set(event.seq, event.data)
    if (event.surface === undefined && event.type !== 'session/rewound') return
    this.#messages.push(event)
    this.#surface =
      event.type === 'session/rewound' ? this.#surfaceAt(event.data.to) : surface.step(this.#surface, event)
  }

  /** @returns the request `sent` names; a failure when it cannot be rebuilt. */
  request({ data }: EventNamed<'request/sent'>): Result<DerivedRequest> {
    const header = this.#headers.get(data.header)
    if (!header) {
      const message = `request ${data.id} names header ${data.header}, which is not in the log`
      return { ok: false, failure: { code: 'SESSION_DAMAGED', message } }
    }
    const newest = this.#messages.at(-1)?.seq ?? -1
    const at = newest > data.at ? this.#surfaceAt(data.at) : this.#surface
    return this.#derivation.derive({ surface: at, header, headerSeq: data.header, at: data.at, extra: data.extra }, [])
  }

  #surfaceAt(seq: number): Surface {
    const upTo = this.#messages.findLastIndex((event) => event.seq <= seq) + 1
    return fold(surface, this.#messages, upTo)
  }
}
