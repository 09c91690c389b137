/** Columns a title has at most. */
export const titleWidth = 80

/** Characters a terminal shows two columns wide, near enough. Source: Unicode TR 11. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u

/** How many columns a text takes on a terminal. */
export function columnsOf(text: string): number {
  let columns = 0
  for (const character of text) columns += wide.test(character) ? 2 : 1
  return columns
}

/** One line, its white space folded, cut to so many columns; what was cut is shown by an ellipsis. */
export function shortened(text: string, most: number = titleWidth): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  if (line.length * 2 <= most || columnsOf(line) <= most) return line
  let kept = ''
  let columns = 0
  for (const character of line) {
    columns += wide.test(character) ? 2 : 1
    if (columns > most - 1) break
    kept += character
  }
  return `${kept.trimEnd()}…`
}

/** A fenced block: a file that was attached, or something that was pasted. */
const fenced = /^(?:File [^\n]*:\n)?(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^\1[`~]*[ \t]*$|$(?![\s\S]))/gm
/** A trimmed line that only opens or closes a frame, or quotes somebody else. */
const framing = /^(?:<\/?[A-Za-z][^<>]*>|>.*|[^\p{L}\p{N}]*)$/u

/** The title a first prompt gives: its first line that says something, without what was pasted or attached. */
export function titleOf(prompt: string): string {
  const own = prompt.slice(0, 20_000).replaceAll(fenced, '\n')
  const line = own.split('\n').find((each) => !framing.test(each.trim()))
  return shortened(line ?? prompt.trim().split('\n', 1)[0] ?? '')
}
