/** One call of `append` that waits for its turn. */
export interface Appending {
  readonly expectedSeq: number
  readonly lines: readonly string[]
  readonly resolve: () => void
  readonly reject: (cause: unknown) => void
}

/** Writes one after the other, in the order of the calls; appends with nothing between them are written together. */
export class AppendQueue {
  readonly #write: (batch: readonly Appending[]) => Promise<void>
  /** Its end never rejects. */
  #last: Promise<void> = Promise.resolve()
  /** Not begun yet, and nothing else was asked for since. */
  #open: Appending[] | undefined

  /** @param write settles each of the batch; when it rejects, those it has not settled reject with it. */
  constructor(write: (batch: readonly Appending[]) => Promise<void>) {
    this.#write = write
  }

  append(expectedSeq: number, lines: readonly string[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const one = { expectedSeq, lines, resolve, reject }
      if (this.#open) {
        this.#open.push(one)
        return
      }
      const batch = [one]
      this.#queue(async () => {
        if (this.#open === batch) this.#open = undefined
        try {
          await this.#write(batch)
        } catch (cause) {
          for (const each of batch) each.reject(cause)
        }
      })
      this.#open = batch
    })
  }

  next(work: () => Promise<void>): Promise<void> {
    return this.#queue(work)
  }

  #queue(work: () => Promise<void>): Promise<void> {
    this.#open = undefined
    const done = this.#last.then(work)
    const ended = (): void => {}
    // The caller gets the outcome; the queue only needs to know that it is over.
    this.#last = done.then(ended, ended)
    return done
  }
}
