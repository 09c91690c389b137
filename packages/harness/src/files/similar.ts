import { linesOf } from './text.ts'

/** Lines longer than this, and files with more lines, are not compared letter by letter. */
const LINE = 400
const FILE = 20_000
/** Share of common letter pairs from which on two lines count as similar. */
const ALIKE = 0.5

/** First lines, from 1, where `wanted` would match if blanks and typographic characters did not count. */
export function looseMatches(text: string, wanted: string): readonly number[] {
  const needle = trimmed(linesOf(wanted).map(folded))
  if (needle.length === 0) return []
  const lines = linesOf(text).map(folded)
  const found: number[] = []
  for (let at = 0; at + needle.length <= lines.length; at++)
    if (needle.every((line, by) => (needle.length === 1 ? lines[at]?.includes(line) : lines[at + by] === line)))
      found.push(at + 1)
  return found
}

/** First lines, from 1, of the places most like `wanted`, best first. */
export function similarPlaces(text: string, wanted: string, most = 3): readonly number[] {
  const needle = trimmed(linesOf(wanted).map(folded))
  const lines = linesOf(text).map(folded)
  const size = needle.length
  if (size === 0 || lines.length > FILE) return []
  const pairs = pairsOf(needle[0] ?? '')
  const same = new Set(needle.filter((line) => line.length > 2))
  const places: { line: number; score: number }[] = []
  for (const [at, line] of lines.entries()) {
    let score = alike(pairs, line)
    if (same.size > 0 && size > 1)
      for (let by = 0; by < Math.min(size, 50); by++) if (lines[at + by] === needle[by]) score += 1
    if (score >= ALIKE) places.push({ line: at + 1, score })
  }
  places.sort((a, b) => b.score - a.score || a.line - b.line)
  return places.slice(0, most).map(({ line }) => line)
}

/** Lines `first` to `last` (from 1) as `number: "text"`, every blank visible; at most `most` of them. */
export function exactLines(text: string, [first, last]: readonly [number, number], most = 12): string {
  const lines = linesOf(text).slice(Math.max(0, first - 1), last)
  const shown = lines.slice(0, most).map((line, at) => {
    const cut = line.length > LINE ? `${line.slice(0, LINE).toWellFormed()}…` : line
    return `${Math.max(1, first) + at}: ${JSON.stringify(cut)}`
  })
  return shown.join('\n')
}

/** A line without what people and models mistake: blanks, curly quotes, long dashes. */
function folded(line: string): string {
  const plain = line
    .replace(/[“”„«»]/g, '"')
    .replace(/[‘’‚]/g, "'")
    .replace(/[‐-―−]/g, '-')
  return plain.replace(/\s+/g, ' ').trim()
}

function trimmed(lines: readonly string[]): readonly string[] {
  let from = 0
  let to = lines.length
  while (from < to && lines[from] === '') from++
  while (to > from && lines[to - 1] === '') to--
  return lines.slice(from, to)
}

function pairsOf(line: string): ReadonlySet<string> {
  const pairs = new Set<string>()
  for (let at = 0; at + 1 < Math.min(line.length, LINE); at++) pairs.add(line.slice(at, at + 2))
  return pairs
}

/** Share of common letter pairs (Sørensen–Dice), 0–1. */
function alike(pairs: ReadonlySet<string>, line: string): number {
  if (line === '' || pairs.size === 0) return 0
  const other = pairsOf(line)
  let common = 0
  for (const pair of other) if (pairs.has(pair)) common++
  return (2 * common) / (pairs.size + other.size)
}
