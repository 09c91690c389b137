/** What happens, in order, for one reader. */
export class Mailbox<T> {
  readonly #waiting: T[] = []
  #wake: (() => void) | undefined

  put(item: T): void {
    this.#waiting.push(item)
    this.#wake?.()
  }

  /** The next one, as soon as there is one. */
  async take(): Promise<T> {
    for (;;) {
      const item = this.#waiting.shift()
      if (item !== undefined) return item
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}
