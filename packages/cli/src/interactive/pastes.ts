/** What a terminal sent: keys as they were pressed, or text that was pasted, its lines ended by line feeds. */
export interface Piece {
  readonly kind: 'keys' | 'paste'
  readonly text: string
}

const ESC = String.fromCodePoint(0x1b)
/** What a terminal puts around a paste once it was asked to. Source: xterm control sequences, bracketed paste mode. */
const START = `${ESC}[200~`
const END = `${ESC}[201~`
export const bracketing = { on: `${ESC}[?2004h`, off: `${ESC}[?2004l` } as const

const STYLE = new RegExp(`${ESC}\\[[0-9;:]*m`, 'g')
/** Line separators count as line ends, as they do where a line is edited. */
const LINE_END = /\r\n|[\r\n\u2028\u2029]/g
/** Control characters but the line ends and the tab. */
const KEY = /(?![\t\r\n])\p{Cc}/u
/** A line end with text behind it: nobody types as fast as one read. */
const INNER_END = /[\r\n]+[^\r\n]/

/**
 * Tells pastes from keys in what a terminal sends, however it is cut. A terminal that marks no pastes is known by lines
 * that come at once: they are one paste, and a line end behind the last of them is the key.
 */
export class Pastes {
  /** The beginning of a mark, as far as it came. */
  #held = ''
  /** A marked paste whose end did not come yet. */
  #open: string | undefined
  /** Unmarked lines; more of them may be on their way. */
  #burst: string | undefined

  /** What is kept until more comes: `rest` is to be called when nothing does. */
  get waits(): 'nothing' | 'moment' | 'end of a paste' {
    if (this.#open !== undefined) return 'end of a paste'
    return this.#held === '' && this.#burst === undefined ? 'nothing' : 'moment'
  }

  take(chunk: string): Piece[] {
    let text = this.#held + chunk
    this.#held = ''
    const pieces: Piece[] = []
    for (;;) {
      const mark = this.#open === undefined ? START : END
      const all = (this.#open ?? '') + text
      const at = all.indexOf(mark)
      if (at < 0) break
      text = all.slice(at + mark.length)
      if (this.#open === undefined) pieces.push(...this.#keys(all.slice(0, at)), ...this.#burstOver())
      else pieces.push(paste(all.slice(0, at)))
      this.#open = this.#open === undefined ? '' : undefined
    }
    if (this.#open !== undefined) {
      this.#open += text
      return pieces
    }
    const held = begun(text)
    this.#held = text.slice(text.length - held)
    return [...pieces, ...this.#keys(text.slice(0, text.length - held))]
  }

  /** Nothing came for a while. */
  rest(): Piece[] {
    const open = this.#open === undefined ? [] : [paste(this.#open)]
    const held = this.#held
    this.#open = undefined
    this.#held = ''
    return [...open, ...this.#burstOver(), ...(held === '' ? [] : [{ kind: 'keys', text: held } as const])]
  }

  #keys(text: string): Piece[] {
    if (text === '') return []
    if (KEY.test(text)) return [...this.#burstOver(), { kind: 'keys', text }]
    if (this.#burst === undefined && !INNER_END.test(text)) return [{ kind: 'keys', text }]
    this.#burst = (this.#burst ?? '') + text
    return []
  }

  #burstOver(): Piece[] {
    const burst = this.#burst
    this.#burst = undefined
    if (burst === undefined) return []
    const lines = burst.replace(/(\r\n|[\r\n])$/, '')
    return [paste(lines), ...(lines === burst ? [] : [{ kind: 'keys', text: '\r' } as const])]
  }
}

/** Colours of copied output say nothing, and other control characters are no text. */
const paste = (text: string): Piece => ({
  kind: 'paste',
  text: text.replaceAll(STYLE, '').replaceAll(LINE_END, '\n').replaceAll(new RegExp(KEY, 'gu'), ''),
})

/** How many characters at the end may be the beginning of a mark. */
function begun(text: string): number {
  for (let length = START.length - 1; length > 0; length--) {
    if (text.endsWith(START.slice(0, length))) return length
  }
  return 0
}
