import { type Html, html } from './html.ts'

const ESC = String.fromCharCode(27)
const SEQUENCE = new RegExp(`${ESC}\\[([0-9;:]*)m`)

interface Look {
  readonly bold: boolean
  readonly dim: boolean
  /** 0 to 15, or undefined for the page's own colour. */
  readonly color: number | undefined
}

const plain: Look = { bold: false, dim: false, color: undefined }

/** Output of a command with its colours. Other sequences are left for the text's own escaping to show. */
export function ansi(text: string): readonly Html[] {
  const pieces = text.split(SEQUENCE)
  const shown: Html[] = []
  let look = plain
  for (const [index, piece] of pieces.entries()) {
    if (index % 2 === 1) look = changed(look, piece)
    else if (piece !== '') shown.push(styled(piece, look))
  }
  return shown
}

function styled(text: string, { bold, dim, color }: Look): Html {
  const names = [bold ? 'b' : '', dim ? 'd' : '', color === undefined ? '' : `c${color}`].filter((name) => name !== '')
  return names.length === 0 ? html`${text}` : html`<span class="${names.join(' ')}">${text}</span>`
}

/** Source: ECMA-48 §8.3.117, and the 16 colours every terminal has. */
function changed(before: Look, codes: string): Look {
  let look = before
  const numbers = codes.split(/[;:]/).map(Number)
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at] ?? 0
    // 256 colours and true colour: the numbers that follow belong to them.
    if (code === 38 || code === 48) at += numbers[at + 1] === 5 ? 2 : 4
    else look = one(look, code)
  }
  return look
}

function one(look: Look, code: number): Look {
  if (code === 0) return plain
  if (code === 1) return { ...look, bold: true }
  if (code === 2) return { ...look, dim: true }
  if (code === 22) return { ...look, bold: false, dim: false }
  if (code >= 30 && code <= 37) return { ...look, color: code - 30 }
  if (code === 39) return { ...look, color: undefined }
  return code >= 90 && code <= 97 ? { ...look, color: code - 82 } : look
}
