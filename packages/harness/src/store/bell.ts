/** Rung at any time; a ring nobody waited for is kept for the next who does. */
export class Bell {
  #rung = false
  #wake: (() => void) | undefined

  ring(): void {
    this.#rung = true
    this.#wake?.()
  }

  async wait(atMostMs: number): Promise<void> {
    if (!this.#rung) {
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        timer = setTimeout(resolve, atMostMs)
      })
      clearTimeout(timer)
      this.#wake = undefined
    }
    this.#rung = false
  }
}
