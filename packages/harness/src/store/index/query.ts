import { folded } from './folded.ts'
import { anyLetter, denseLetter, last, type Run, runsIn, twos, wordLetter } from './tokens.ts'

/** One thing that is looked for: a word, found where a word begins with it, or a phrase in quotes. */
export interface Term {
  /** Folded, as it was typed: what ids, titles and directories are looked through for. */
  readonly text: string
  /** For the index; undefined when it holds no letter and no digit, and only the texts themselves can be looked through. */
  readonly match: string | undefined
  /** Finds it in folded text, with the flags `gv`. */
  readonly pattern: string
}

/** More are not looked for. */
const mostTerms = 32

/**
 * What a person typed, as terms that must all be met. Words stand between spaces; what stands in double quotes is one
 * phrase. Nothing in it is syntax of the index.
 */
export function termsOf(typed: string): readonly Term[] {
  const terms: Term[] = []
  for (const [, phrase, word] of typed.toWellFormed().matchAll(/"([^"]*)"|([^\s"]+)/g)) {
    const text = folded(phrase ?? word ?? '').trim()
    if (text !== '' && terms.length < mostTerms) terms.push(termOf(text, phrase !== undefined))
  }
  return terms
}

function termOf(text: string, whole: boolean): Term {
  const runs = runsIn(text)
  if (runs.length === 0) return { text, match: undefined, pattern: literal(text) }
  return { text, match: matchOf(runs, whole), pattern: patternOf(runs, whole) }
}

/** Tokens hold letters and digits alone, so that none of them can end the quotes. */
function matchOf(runs: readonly Run[], whole: boolean): string {
  const tokens = runs.flatMap((run, at) => {
    if (run.kind === 'word') return [run.text]
    const pairs = twos(run.text)
    // Behind the last run more letters may stand; before another one it must have ended.
    return at < runs.length - 1 || pairs.length === 0 ? [...pairs, last(run.text)] : pairs
  })
  const end = runs.at(-1)
  const open = end?.kind === 'word' ? !whole : [...(end?.text ?? '')].length === 1
  return `"${tokens.join(' ')}"${open ? ' *' : ''}`
}

function patternOf(runs: readonly Run[], whole: boolean): string {
  return runs
    .map((run, at) => {
      const isLast = at === runs.length - 1
      if (run.kind === 'word') {
        const end = isLast && !whole ? '' : `(?!${wordLetter})`
        return `(?<!${wordLetter})${literal(run.text)}${end}`
      }
      return `${at > 0 ? `(?<!${denseLetter})` : ''}${literal(run.text)}${isLast ? '' : `(?!${denseLetter})`}`
    })
    .join(`(?:(?!${anyLetter})[\\s\\S])*`)
}

/** Source: ECMA-262 §22.2.1, SyntaxCharacter. */
const literal = (text: string): string => text.replaceAll(/[\^$\\.*+?()[\]{}|/]/g, '\\$&')
