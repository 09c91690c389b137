/** Marks that make another letter of it, and not only another accent: the sound marks of kana. */
const marks = /(?![\u3099\u309a])\p{M}/gu
/** More marks on one letter say nothing, and normalising sorts them, in the square of the time. Source: Unicode TR 15 §13. */
const manyMarks = /(\p{M}{32})\p{M}+/gu
// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant.
const ascii = /^[\x00-\x7f]*$/

/**
 * Text as it is compared: case, accents and compatibility forms are one. The same for what is looked for and for what
 * is looked in. Source: Unicode TR 15, NFKD and NFC.
 */
export function folded(text: string): string {
  if (ascii.test(text)) return text.toLowerCase()
  const bare = text.toWellFormed().replaceAll(manyMarks, '$1').normalize('NFKD').replaceAll(marks, '')
  // Upper case first: ß and SS are one.
  return bare.toUpperCase().toLowerCase().normalize('NFC')
}

/** A text folded, and where each character of it came from. */
export interface FoldedText {
  readonly text: string
  /** For each unit of `text` and its end: the place in the original. */
  readonly from: readonly number[]
}

/** Folded character by character, so that a match is found again in the original. */
export function foldedWithPlaces(text: string): FoldedText {
  const from: number[] = []
  let out = ''
  let at = 0
  // What is written as a letter and its marks is folded together with them.
  for (const [piece] of text.matchAll(/[\s\S]\p{M}*/gu)) {
    const fold = folded(piece)
    for (let unit = 0; unit < fold.length; unit++) from.push(at)
    out += fold
    at += piece.length
  }
  from.push(at)
  return { text: out, from }
}
