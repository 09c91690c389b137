/** Two columns of a terminal each: Chinese, Japanese, Korean, full-width forms, most emoji. Source: UAX 11, `W` and `F`. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]/u
/** None: marks that stand on what is before them, and joiners. */
const none = /[\p{M}\u200b-\u200d]/u
const narrow = /^[\x20-\x7e]*$/

const columnsOfOne = (character: string): number => (none.test(character) ? 0 : wide.test(character) ? 2 : 1)

/** Columns a terminal needs for a line. */
export function columnsOf(line: string): number {
  if (narrow.test(line)) return line.length
  let sum = 0
  for (const character of line) sum += columnsOfOne(character)
  return sum
}

/** As for a cut, where a mark counts as one: a line of nothing but marks has no end. */
const costOf = (character: string): number => Math.max(1, columnsOfOne(character))

/** The beginning of a line that fits into so many columns, the last of them a `…` when something is left out. */
export function cutTo(line: string, columns: number): string {
  if (narrow.test(line)) return line.length <= columns ? line : `${line.slice(0, Math.max(0, columns - 1))}…`
  const characters = [...line]
  const many = fitting(characters, columns)
  return many === characters.length ? line : `${characters.slice(0, many).join('')}…`
}

/** The end of a line that fits, after a `…` when something is left out. */
export function endOf(line: string, columns: number): string {
  const characters = [...line].reverse()
  const many = fitting(characters, columns)
  return many === characters.length ? line : `…${characters.slice(0, many).reverse().join('')}`
}

/** How many of the characters fit: all of them, or what leaves a column for a mark. */
function fitting(characters: readonly string[], columns: number): number {
  let [used, many] = [0, 0]
  for (const [at, character] of characters.entries()) {
    used += costOf(character)
    if (used < columns) many = at + 1
    if (used > columns) return many
  }
  return characters.length
}

export const padTo = (cell: string, columns: number): string =>
  cell + ' '.repeat(Math.max(0, columns - columnsOf(cell)))
