import { cutTo } from './columns.ts'

/** The character of this number, for patterns a linter would not let stand as themselves. */
const at = String.fromCodePoint

const ESC = at(0x1b)
/** Colours and styles of a command's output: they say nothing here, so they go. */
const STYLE = new RegExp(`${ESC}\\[[0-9;:]*m`, 'g')

/** Control characters a terminal would obey: all but tab and line feed. Source: ECMA-48 §5.2 and §5.3. */
const CONTROL = `${at(0)}-${at(8)}${at(0x0b)}-${at(0x1f)}${at(0x7f)}-${at(0x9f)}`
/**
 * Characters that reorder what is read or that nobody sees: bidirectional controls, separators, invisible characters
 * and tags. Joiners stay, because scripts and emoji need them. Source: Unicode TR 36 and TR 9 §2.
 */
const HIDDEN = [
  at(0xad),
  at(0x61c),
  at(0x180e),
  at(0x200b),
  `${at(0x200e)}${at(0x200f)}`,
  `${at(0x2028)}-${at(0x202e)}`,
  `${at(0x2060)}-${at(0x206f)}`,
  at(0xfeff),
  `${at(0xfff9)}-${at(0xfffb)}`,
].join('')
/** Those that a pattern sees as two units each. */
const HIDDEN_PAIRS = `${at(0xe0000)}-${at(0xe007f)}`

/** Nothing in it needs a look: most of what is shown. */
const plain = /^[\n\t\x20-\x7e]*$/
/** What one line must not hold as it is, or may not: halves of pairs are looked at one by one, which is slow. */
const doubtful = new RegExp(`[${CONTROL}${HIDDEN}\\ud800-\\udfff\\n\\t]|[^\\S ]`)
const UNSAFE = new RegExp(`[${CONTROL}${HIDDEN}${HIDDEN_PAIRS}]`, 'gu')
const code = (character: string): number => character.codePointAt(0) ?? 0

/**
 * Text of anybody as it may be shown on a terminal: colours are taken out, and whatever would move the cursor, reorder
 * the line or hide something is shown as a visible mark. Line feeds and tabs stay; CR LF is one line end.
 */
export const safeText = (text: string): string =>
  plain.test(text) ? text : text.toWellFormed().replaceAll(STYLE, '').replaceAll('\r\n', '\n').replaceAll(UNSAFE, mark)

/** `␛` for a control character, `⟨U+202E⟩` for everything else. */
function mark(character: string): string {
  const number = code(character)
  if (number < 0x20) return at(0x2400 + number)
  if (number === 0x7f) return at(0x2421)
  return `⟨U+${number.toString(16).toUpperCase().padStart(4, '0')}⟩`
}

/** JSON text that means the same and that a terminal can show: what is unsafe becomes an escape. */
export const safeJson = (json: string): string => json.replaceAll(UNSAFE, escaped)

/** A value as JSON: as it is for a program, as a terminal can show it for a person. */
export const shownJson = ({ terminal }: { readonly terminal: boolean }, value: object): string =>
  terminal ? safeJson(JSON.stringify(value)) : JSON.stringify(value)

const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, unit) => character.charCodeAt(unit))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('')

/** Whether it can be shown as it is: most titles can. */
const isOneLine = (text: string): boolean =>
  !doubtful.test(text) && !text.includes('  ') && !text.startsWith(' ') && !text.endsWith(' ')

/** One line of at most `most` columns; line ends become spaces. */
export function oneLine(text: string, most: number): string {
  // No character needs more than two columns.
  const fits = text.length * 2 <= most || (text.length <= most && plain.test(text))
  if (fits && isOneLine(text)) return text
  const line = safeText(text).replaceAll(/\s+/g, ' ').trim()
  return cutTo(line, most)
}

/**
 * At most `most` lines, each of at most 300 characters: the beginning and the end, told how many are missing between.
 */
export function fewLines(text: string, most: number): readonly string[] {
  const lines = text
    .replace(/(?<!\n)\n+$/, '')
    .split('\n')
    .map(short)
  if (lines.length <= most) return lines
  const tail = Math.floor(most / 3)
  const head = most - tail
  const missing = `… ${lines.length - most} more lines`
  return [...lines.slice(0, head), missing, ...lines.slice(lines.length - tail)]
}

const LONGEST = 300
const short = (line: string): string => (line.length > LONGEST ? `${line.slice(0, LONGEST).toWellFormed()}…` : line)

/** Every line with `lead` before it. */
export const indent = (lines: readonly string[], lead: string): string => lines.map((line) => lead + line).join('\n')
