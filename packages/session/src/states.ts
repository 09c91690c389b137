/** A state after each event that changed it, in the log's order: what it was at any place is found without folding again. */
export class States<S> {
  readonly #seqs: number[] = []
  readonly #states: S[] = []
  readonly #initial: S

  constructor(initial: S) {
    this.#initial = initial
  }

  get last(): S {
    return this.#states.at(-1) ?? this.#initial
  }

  /** @param seq above every one added before. */
  add(seq: number, state: S): void {
    this.#seqs.push(seq)
    this.#states.push(state)
  }

  /** The state after event `seq`. */
  at(seq: number): S {
    let [low, high] = [0, this.#seqs.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#seqs[middle] ?? 0) <= seq) low = middle + 1
      else high = middle
    }
    return this.#states[low - 1] ?? this.#initial
  }
}
