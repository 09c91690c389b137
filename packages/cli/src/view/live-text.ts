import { streamed } from '@rein/harness'
import type { EventNamed } from '@rein/session'
import type { Paint } from './paint.ts'
import { safeText } from './safe-text.ts'

/** Replies as they come, told from the log: the process that asks for them need not be this one. */
export class LiveText {
  readonly #say: (text: string) => void
  readonly #paint: Paint
  readonly #told = new Set<string>()
  /** Request and block of the text that was said last, while its line is not ended. */
  #open: string | undefined

  constructor(say: (text: string) => void, paint: Paint) {
    this.#say = say
    this.#paint = paint
  }

  add(event: EventNamed<'assistant/chunks'>): void {
    const { request } = event.data
    for (const { chunk } of streamed([event], request)) {
      if (chunk.kind !== 'text' && chunk.kind !== 'reasoning') continue
      const place = `${request} ${chunk.block}`
      if (this.#open !== place) this.end()
      this.#open = place
      this.#told.add(request)
      const text = safeText(chunk.text)
      this.#say(chunk.kind === 'reasoning' ? this.#paint.dim(text) : text)
    }
  }

  /** End the line that is open, before anything else is said. */
  end(): void {
    if (this.#open !== undefined) this.#say('\n')
    this.#open = undefined
  }

  /** Whether the text of this reply was said already. */
  has(request: string): boolean {
    return this.#told.has(request)
  }
}
