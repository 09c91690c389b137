import { count } from '../view/amount.ts'
import { type Html, html } from './html.ts'

/** Most characters of one text that stand in the page, by what it is. The JSON export has all of it. */
export const longest = { said: 200_000, output: 20_000, arguments: 8_000 }

/** The beginning and the end of a text, and how much is left out between. */
export function bounded(
  text: string,
  most: number,
): { readonly head: string; readonly left: number; readonly tail: string } {
  if (text.length <= most) return { head: text, left: 0, tail: '' }
  const tail = Math.floor(most / 4)
  return { head: text.slice(0, most - tail), left: text.length - most, tail: text.slice(text.length - tail) }
}

export const leftOut = (characters: number): Html =>
  html`<p class="left">… ${count(characters)} characters are left out here; the JSON export has them …</p>`

/** A text in `shown`, cut where it is too long. */
export function cut(text: string, most: number, shown: (part: string) => Html): Html {
  const { head, left, tail } = bounded(text, most)
  return left === 0 ? shown(head) : html`${shown(head)}${leftOut(left)}${shown(tail)}`
}

/** What was said: paragraphs as they are, fenced code as code. */
export const said = (text: string): Html => cut(text, longest.said, (part) => html`${fenced(part)}`)

/** Lines between two fences are code; a fence that is never closed is text like any other. */
function fenced(text: string): readonly Html[] {
  const lines = text.split('\n')
  const fences = lines.flatMap((line, at) => (/^```/.test(line) ? [at] : []))
  const closed = fences.length - (fences.length % 2)
  const shown: Html[] = []
  let from = 0
  for (let nth = 0; nth < closed; nth += 2) {
    const [open = 0, close = 0] = fences.slice(nth, nth + 2)
    shown.push(...prose(lines.slice(from, open)), html`<pre>${lines.slice(open + 1, close).join('\n')}</pre>`)
    from = close + 1
  }
  return [...shown, ...prose(lines.slice(from))]
}

function prose(lines: readonly string[]): readonly Html[] {
  const text = lines.join('\n')
  return text.trim() === '' ? [] : [html`<div class="text">${text.replace(/^\n+/, '').trimEnd()}</div>`]
}

/** A unified diff, its lines coloured. */
export const diff = (text: string): Html =>
  cut(text, longest.output, (part) => html`<pre class="diff">${part.split('\n').map(diffLine)}</pre>`)

function diffLine(line: string): Html {
  if (line.startsWith('@@')) return html`<span class="at">${line}</span>\n`
  if (line.startsWith('+')) return html`<span class="add">${line}</span>\n`
  return line.startsWith('-') ? html`<span class="del">${line}</span>\n` : html`<span>${line}</span>\n`
}
