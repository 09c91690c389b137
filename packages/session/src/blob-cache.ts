import type { Content } from './events/content.ts'
import type { SessionEvent } from './events/index.ts'
import type { SessionLog } from './log.ts'
import type { Blobs } from './store.ts'

/** The pictures of a session, loaded before a request is derived, because deriving is synchronous. */
export class BlobCache implements Disposable {
  readonly #blobs: Blobs
  readonly #loaded = new Map<string, Uint8Array>()
  readonly #listening: Disposable
  #wanted = new Set<string>()

  constructor(log: SessionLog, blobs: Blobs) {
    this.#blobs = blobs
    for (const event of log.events) this.#want(event)
    this.#listening = log.onLine((_line, event) => this.#want(event))
  }

  readonly read = (sha256: string): Uint8Array | undefined => this.#loaded.get(sha256)

  /** Load what was named since the last time. A blob that is not there stays missing, and the encoder says so. */
  async load(): Promise<void> {
    if (this.#wanted.size === 0) return
    const wanted = [...this.#wanted]
    this.#wanted = new Set()
    for (const sha256 of wanted) {
      const bytes = await this.#blobs.get(sha256)
      if (bytes) this.#loaded.set(sha256, bytes)
    }
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]()
  }

  #want(event: SessionEvent): void {
    if (event.type !== 'user/message' && event.type !== 'tool/result') return
    for (const name of blobsIn(event.data.content)) if (!this.#loaded.has(name)) this.#wanted.add(name)
  }
}

export const blobsIn = (content: readonly Content[]): string[] =>
  content.flatMap((part) => (part.type === 'image' ? [part.blob] : []))
