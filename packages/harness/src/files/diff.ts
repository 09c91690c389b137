import { linesOf } from './text.ts'

/** What changed, for people and for the model. */
export interface TextDiff {
  /** Unified, without file headers; '' when no line differs. */
  readonly diff: string
  readonly added: number
  readonly removed: number
}

const CONTEXT = 3
/** Above this many differing lines a middle is shown as replaced whole: comparing it would cost seconds. */
const MOST_EDITS = 1000

/**
 * The lines that differ, as a unified diff. Only the part between the first and the last difference is compared, so a
 * small change of a large file is cheap. Line ends and the end of the last line are not compared.
 */
export async function textDiff(before: string, after: string): Promise<TextDiff> {
  const old = linesOf(before)
  const now = linesOf(after)
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head++
  let tail = 0
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  if (head === old.length && head === now.length) return { diff: '', added: 0, removed: 0 }
  const start = Math.max(0, head - CONTEXT)
  const end = Math.max(0, tail - CONTEXT)
  const hunks = await compare(old.slice(start, old.length - end), now.slice(start, now.length - end))
  const lines: string[] = []
  for (const hunk of hunks) {
    lines.push(`@@ -${place(hunk.oldStart + start, hunk.oldLines)} +${place(hunk.newStart + start, hunk.newLines)} @@`)
    lines.push(...hunk.lines)
  }
  return { diff: lines.join('\n'), added: count(hunks, '+'), removed: count(hunks, '-') }
}

/** At most `most` lines of a diff, saying how many were left out. */
export function shortDiff(diff: string, most: number): string {
  const lines = diff.split('\n').map((line) => (line.length > 500 ? `${line.slice(0, 500).toWellFormed()}…` : line))
  if (lines.length <= most) return lines.join('\n')
  return [...lines.slice(0, most), `[${lines.length - most} more lines of the diff left out]`].join('\n')
}

interface Hunk {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
  readonly lines: readonly string[]
}

async function compare(old: readonly string[], now: readonly string[]): Promise<readonly Hunk[]> {
  const { structuredPatch } = await import('diff')
  const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')
  const options = { context: CONTEXT, maxEditLength: MOST_EDITS }
  const patch = structuredPatch('', '', text(old), text(now), undefined, undefined, options)
  if (patch !== undefined) return patch.hunks
  const lines = [...old.map((line) => `-${line}`), ...now.map((line) => `+${line}`)]
  return [{ oldStart: 1, oldLines: old.length, newStart: 1, newLines: now.length, lines }]
}

/** A side without lines names the line before it. Source: POSIX diff, unified format. */
function place(start: number, lines: number): string {
  if (lines === 1) return `${start}`
  return `${lines === 0 ? start - 1 : start},${lines}`
}

const count = (hunks: readonly Hunk[], mark: string): number =>
  hunks.reduce((sum, hunk) => sum + hunk.lines.filter((line) => line.startsWith(mark)).length, 0)
