import type { Watched } from '@rein/session'

/** What a watcher was told, as marks: enough to find where another log differs from it. */
export class Delivered {
  readonly #from: number
  readonly #marks: number[] = []

  constructor(from: number) {
    this.#from = from
  }

  /** How many lines were told, from position `from` on. */
  get count(): number {
    return this.#marks.length
  }

  /** These lines stand at `position` on: what of it is news. A line that differs from the one told is a reset. */
  *offer(position: number, lines: readonly string[]): Generator<Watched> {
    let first = lines.length
    for (const [index, line] of lines.entries()) {
      const at = position + index - this.#from
      if (at < 0) continue
      const known = at < this.#marks.length
      if (known && this.#marks[at] === mark(line)) continue
      if (known) {
        this.#marks.length = at
        yield { kind: 'reset', from: this.#from + at }
      }
      first = Math.min(first, index)
      this.#marks.push(mark(line))
    }
    if (first < lines.length) yield { kind: 'lines', from: position + first, lines: lines.slice(first) }
  }

  /** The log ends at `position`: lines that were told and are not in it no longer hold. */
  *shorter(position: number): Generator<Watched> {
    const held = Math.max(0, position - this.#from)
    if (held >= this.#marks.length) return
    this.#marks.length = held
    yield { kind: 'reset', from: this.#from + held }
  }
}

/** Characters at the end of a line that its mark covers: the line's own hash, which covers the rest, is among them. */
const MARKED = 96

/** 53 bits that tell two lines at one position apart (FNV-1a twice, with different starts). */
function mark(line: string): number {
  let low = 0x811c9dc5 ^ line.length
  let high = 0x01000193 ^ line.length
  for (let index = Math.max(0, line.length - MARKED); index < line.length; index++) {
    const unit = line.charCodeAt(index)
    low = Math.imul(low ^ unit, 0x01000193)
    high = Math.imul(high ^ unit, 0x85ebca6b)
  }
  return (low >>> 0) + ((high >>> 0) & 0x1fffff) * 0x1_0000_0000
}
