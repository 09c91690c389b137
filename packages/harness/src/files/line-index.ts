/** A text with plain line feeds, and the way back to where each place stands in the text with its own line ends. */
export class LineIndex {
  /** Every CR LF as LF. */
  readonly text: string
  /** Offsets in `text` of line feeds that have a carriage return before them. */
  readonly #returns: number[] = []
  /** Offsets in `text` where lines begin. */
  readonly #starts: number[] = [0]

  constructor(original: string) {
    this.text = original.replaceAll('\r\n', '\n')
    let removed = 0
    for (let at = original.indexOf('\n'); at !== -1; at = original.indexOf('\n', at + 1)) {
      if (original[at - 1] === '\r') this.#returns.push(at - 1 - removed++)
      this.#starts.push(at + 1 - removed)
    }
  }

  /** The offset in the original of an offset in `text`; a place before a line end is before its carriage return. */
  original(at: number): number {
    return at + below(this.#returns, at)
  }

  /** The line, from 1, that holds the character at an offset in `text`. */
  line(at: number): number {
    return below(this.#starts, at + 1)
  }

  /** The line end that lines `first` to `last` have; undefined when they differ or have none. */
  lineEnd(first: number, last: number): '\n' | '\r\n' | undefined {
    const from = this.#starts[first - 1] ?? 0
    const to = this.#starts[last] ?? this.text.length
    const returns = below(this.#returns, to) - below(this.#returns, from)
    const ends = below(this.#starts, to + 1) - below(this.#starts, from + 1)
    if (ends === 0) return undefined
    if (returns === 0) return '\n'
    return returns === ends ? '\r\n' : undefined
  }
}

/** How many of the ascending numbers are smaller than `limit`. */
function below(numbers: readonly number[], limit: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) < limit) low = middle + 1
    else high = middle
  }
  return low
}
