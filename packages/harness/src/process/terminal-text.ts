const ESC = String.fromCharCode(27)
const BEL = String.fromCharCode(7)

/** One whole control sequence: CSI, OSC, the other strings, or a short one. Source: ECMA-48 §5, §8.3. */
const SEQUENCE = new RegExp(
  `${ESC}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)|[PX^_][^${ESC}]*${ESC}\\\\|[ -/]*[0-OQ-WYZ\\\\\`-~])`,
  'g',
)
const STYLE = new RegExp(`${ESC}\\[[0-9;:]*m`, 'g')
/** A sequence that the end of a chunk cut. */
const PARTIAL = new RegExp(`${ESC}(?:\\[[0-?]*[ -/]*|\\][^${BEL}${ESC}]*${ESC}?|[PX^_][^${ESC}]*${ESC}?|[ -/]*)$`)
/** A cut sequence longer than this is none. */
const LONGEST_PARTIAL = 4096
/** Part of a line without an end that is given out already: a later carriage return no longer takes it back. */
const LONGEST_LINE = 16 * 1024
/** Control characters that say nothing in a text; tab, line feed and the three handled below are not among them. */
const SILENT = new RegExp(`[${codes(0, 7)}${codes(11, 12)}${codes(14, 26)}${codes(28, 31)}${codes(127, 127)}]`, 'g')
const UNPLAIN = new RegExp(`[${codes(0, 8)}${codes(11, 31)}${codes(127, 127)}]`)

/**
 * What a terminal would be left with, as text: a carriage return starts its line again, a backspace takes a character
 * back, colours stay, every other control sequence goes. Text arrives in pieces of any size; memory is bounded.
 */
export class TerminalText {
  #pending = ''
  #line = ''
  #returned = false

  /** @returns the text that can no longer change. */
  push(text: string): string {
    if (this.#pending === '' && this.#line === '' && !this.#returned && !UNPLAIN.test(text)) return this.#plain(text)
    const whole = this.#pending + text
    const partial = PARTIAL.exec(whole)
    const cut = partial !== null && whole.length - partial.index <= LONGEST_PARTIAL ? partial.index : whole.length
    this.#pending = whole.slice(cut)
    return this.#lines(clean(whole.slice(0, cut)))
  }

  /** @returns what was still open. */
  end(): string {
    const rest = this.#lines(clean(this.#pending)) + this.#line
    this.#pending = ''
    this.#line = ''
    return rest
  }

  #plain(text: string): string {
    const end = text.lastIndexOf('\n') + 1
    return text.slice(0, end) + this.#extend(text.slice(end))
  }

  #lines(text: string): string {
    let out = ''
    let from = 0
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', from)) {
      out += this.#write(text.slice(from, at))
      out += `${this.#line}\n`
      this.#line = ''
      this.#returned = false
      from = at + 1
    }
    return out + this.#write(text.slice(from))
  }

  /** Text without a line feed: only what follows its last carriage return can be seen. */
  #write(text: string): string {
    if (text === '') return ''
    let end = text.length
    while (end > 0 && text[end - 1] === '\r') end--
    const start = text.lastIndexOf('\r', end - 1) + 1
    if (end > 0 && (this.#returned || start > 0)) this.#line = ''
    if (end > 0) this.#returned = false
    if (end < text.length) this.#returned = true
    return this.#extend(end > 0 ? text.slice(start, end) : '')
  }

  #extend(text: string): string {
    this.#line += text
    if (text.includes('\b')) this.#line = takenBack(this.#line)
    if (this.#line.length <= LONGEST_LINE) return ''
    const out = this.#line
    this.#line = ''
    return out
  }
}

function takenBack(line: string): string {
  const kept: string[] = []
  for (const point of line) {
    if (point === '\b') kept.pop()
    else kept.push(point)
  }
  return kept.join('')
}

/** Colours and other styles taken out of what `TerminalText` gave. */
export const withoutStyle = (text: string): string => (text.includes(ESC) ? text.replace(STYLE, '') : text)

function clean(text: string): string {
  if (!UNPLAIN.test(text)) return text
  const styled = text.replace(SEQUENCE, (sequence) => (STYLE_ONLY.test(sequence) ? sequence : ''))
  return styled.replace(SILENT, '').replace(STRAY, '')
}

const STYLE_ONLY = new RegExp(`^${ESC}\\[[0-9;:]*m$`)
/** An escape that begins no style. */
const STRAY = new RegExp(`${ESC}(?!\\[[0-9;:]*m)`, 'g')

/** A range of a character class. */
function codes(from: number, to: number): string {
  return `${String.fromCharCode(from)}-${String.fromCharCode(to)}`
}
