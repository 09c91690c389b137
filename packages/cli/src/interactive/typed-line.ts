/** What may stand for a line break where one line is edited; the first that is not in the text itself is taken. */
const marks = ['⏎', '␤', '↵'] as const

/** What a person types and pastes, as lines of an editor give it: a message may have line breaks, an editor's line not. */
export class TypedLine {
  readonly #used = new Set<string>()
  /** Lines before this one that belong to the same message. */
  #begun = ''

  /** A paste as it is shown in the line: one mark for each line break. */
  pasted(text: string): string {
    if (!text.includes('\n')) return text
    const mark = marks.find((each) => !text.includes(each)) ?? marks[0]
    this.#used.add(mark)
    return text.replaceAll('\n', mark)
  }

  /** The line was ended. @returns the whole message; undefined when a `\` at its end says that it goes on. */
  end(line: string): string | undefined {
    const whole = this.#begun + this.#broken(line)
    const goesOn = (/\\*$/.exec(line)?.[0].length ?? 0) % 2 === 1
    this.#begun = goesOn ? `${whole.slice(0, -1)}\n` : ''
    return goesOn ? undefined : whole
  }

  /** The message is given up. @returns what was typed of it. */
  drop(line: string): string {
    const whole = this.#begun + this.#broken(line)
    this.#begun = ''
    return whole
  }

  /** A line that was recalled may hold the mark of an earlier paste. */
  #broken(line: string): string {
    return [...this.#used].reduce((text, mark) => text.replaceAll(mark, '\n'), line)
  }
}
