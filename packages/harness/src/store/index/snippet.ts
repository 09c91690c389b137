import { foldedWithPlaces } from './folded.ts'
import type { Term } from './query.ts'

/** A piece of a snippet; what was looked for is marked. */
export interface Piece {
  readonly text: string
  readonly match: boolean
}

/** Characters shown around the first match. */
const before = 50
const most = 160

/** Which of these terms a text meets. */
export function termsIn(text: string, terms: readonly Term[]): readonly Term[] {
  const { text: within } = foldedWithPlaces(text)
  return terms.filter(({ pattern }) => new RegExp(pattern, 'v').test(within))
}

/** One line around the first place where a term is met, white space folded; undefined when none is. */
export function snippetOf(text: string, terms: readonly Term[]): readonly Piece[] | undefined {
  const { text: within, from } = foldedWithPlaces(text)
  const places = terms
    .flatMap(({ pattern }) => [...within.matchAll(new RegExp(pattern, 'gv'))].slice(0, 200))
    .filter(([found]) => found !== '')
    .map((found) => ({ start: from[found.index] ?? 0, end: from[found.index + found[0].length] ?? text.length }))
    .sort((a, b) => a.start - b.start)
  const [first] = places
  if (!first) return undefined
  const start = first.start <= before ? 0 : wordStart(text, first.start - before, first.start)
  const end = Math.max(first.end, Math.min(text.length, start + most))
  const pieces: Piece[] = start > 0 ? [{ text: '…', match: false }] : []
  let at = start
  for (const place of places) {
    if (place.start < at || place.end > end) continue
    pieces.push(
      { text: text.slice(at, place.start), match: false },
      { text: text.slice(place.start, place.end), match: true },
    )
    at = place.end
  }
  pieces.push({ text: text.slice(at, end), match: false })
  if (end < text.length) pieces.push({ text: '…', match: false })
  return pieces.filter((piece) => piece.text !== '').map(({ text, match }) => ({ text: line(text), match }))
}

const line = (text: string): string => text.toWellFormed().replaceAll(/\s+/g, ' ')

/** A cut between words, where one is near. */
function wordStart(text: string, from: number, upTo: number): number {
  const space = text.slice(from, upTo).search(/\s/)
  return space === -1 || space > 20 ? from : from + space + 1
}
