import { folded } from './folded.ts'

/**
 * Scripts that are written without spaces, or whose words grow at their ends: their letters are looked for in twos.
 */
const dense = ['Han', 'Hira', 'Kana', 'Bopo', 'Hang', 'Thai', 'Laoo', 'Khmr', 'Mymr']
  .map((script) => `\\p{scx=${script}}`)
  .join('')
const letter = '[\\p{L}\\p{N}\\p{M}]'

/** One character of such a script, and one of a word of any other; for patterns with the flag `v`. */
export const denseLetter = `[${letter}&&[${dense}]]`
export const wordLetter = `[${letter}--[${dense}]]`
export const anyLetter = letter

const runs = new RegExp(`(${denseLetter}+)|${wordLetter}+`, 'gv')
// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant.
const ascii = /^[\x00-\x7f]*$/

/** A stretch of folded text: a word, or letters that are looked for in twos. */
export interface Run {
  readonly kind: 'word' | 'dense'
  readonly text: string
}

export function runsIn(text: string): readonly Run[] {
  return [...text.matchAll(runs)].map(([run, dense]) => ({ kind: dense === undefined ? 'word' : 'dense', text: run }))
}

/**
 * Text as the index keeps it: words, separated by spaces. `日本語` becomes `日本 本語 語`: each two letters that stand
 * together, and the last alone, so that one, two or more of them are found wherever they stand.
 */
export function indexText(text: string): string {
  // Words of plain ASCII are told apart, and folded, by the index itself.
  if (ascii.test(text)) return text
  return runsIn(folded(text))
    .map((run) => (run.kind === 'word' ? run.text : [...twos(run.text), last(run.text)].join(' ')))
    .join(' ')
}

export function twos(run: string): readonly string[] {
  const letters = [...run]
  return letters.slice(0, -1).map((one, at) => `${one}${letters[at + 1]}`)
}

export const last = (run: string): string => [...run].at(-1) ?? ''
