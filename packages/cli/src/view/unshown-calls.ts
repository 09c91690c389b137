import type { SessionEvent } from '@rein/session'

/**
 * The calls a model asked for that no line showed yet. A call that is refused before it runs has no `tool/call`: its
 * result is all there is to see, and without its arguments nobody knows what was refused.
 */
export class UnshownCalls {
  readonly #asked = new Map<string, string>()

  /** Takes in the next event of a log. @returns the arguments to show with a result whose call was not shown. */
  next(event: SessionEvent): string | undefined {
    switch (event.type) {
      case 'assistant/message':
        for (const block of event.data.content) if (block.type === 'call') this.#asked.set(block.id, block.arguments)
        return undefined
      case 'tool/call':
        this.#asked.delete(event.data.call)
        return undefined
      case 'tool/result':
        return this.#take(event.data.call)
      default:
        return undefined
    }
  }

  /** The call is shown in another way, such as a question about it. */
  shown(call: string): void {
    this.#asked.delete(call)
  }

  #take(call: string): string | undefined {
    const json = this.#asked.get(call)
    this.#asked.delete(call)
    return json
  }
}
