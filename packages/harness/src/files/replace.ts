import type { Result } from '@rein/session'
import { LineIndex } from './line-index.ts'
import { exactLines, looseMatches, similarPlaces } from './similar.ts'
import { linesOf, type TextFile } from './text.ts'
import { failed, fine } from './trouble.ts'

/** One exact replacement. */
export interface Edit {
  readonly old: string
  readonly new: string
  /** Every occurrence instead of the only one. */
  readonly all?: boolean | undefined
}

/** Where something is replaced. Offsets are those of the file's own text. */
export interface Span {
  readonly start: number
  readonly end: number
  /** First and last line it touches, from 1. */
  readonly lines: readonly [number, number]
  /** With the line ends of the place. */
  readonly text: string
  /** How many lines more the file has after it. */
  readonly grows: number
}

/** Names an edit in a message; nothing when it is the only one. */
const label = (at: number, edits: readonly Edit[]): string => (edits.length > 1 ? `edits.${at}: ` : '')

/**
 * Where the edits go, in order of place; every edit is matched against the text as it is. Line ends in `old` and `new`
 * count as line feeds. Fails `INVALID_ARGUMENTS` (empty, without effect, overlapping), `NO_MATCH`, `AMBIGUOUS_MATCH`;
 * the message shows the places that come near.
 */
export function findSpans(file: TextFile, edits: readonly Edit[]): Result<readonly Span[]> {
  const index = new LineIndex(file.text)
  const spans: Span[] = []
  for (const [at, edit] of edits.entries()) {
    const found = findOne(index, { old: plain(edit.old), new: plain(edit.new), all: edit.all }, label(at, edits))
    if (!found.ok) return found
    const size = plain(edit.old).length
    for (const start of found.value) spans.push(spanAt(index, { start, end: start + size, edit }, file))
  }
  spans.sort((a, b) => a.start - b.start)
  for (const [at, span] of spans.entries()) {
    const next = spans[at + 1]
    if (next !== undefined && next.start < span.end)
      return failed('INVALID_ARGUMENTS', `Two edits overlap at line ${next.lines[0]}.`, 'Put them into one edit.')
  }
  return fine(spans)
}

/** The text with every span replaced; what is outside them stays as it is. */
export function applySpans(text: string, spans: readonly Span[]): string {
  const parts: string[] = []
  let from = 0
  for (const span of spans) {
    parts.push(text.slice(from, span.start), span.text)
    from = span.end
  }
  return parts.join('') + text.slice(from)
}

/** Where seen lines stand after the spans inside them were replaced. */
export function movedRange(
  [first, last]: readonly [number, number],
  spans: readonly Span[],
): readonly [number, number] {
  const grown = (upTo: number) => spans.reduce((sum, span) => sum + (span.lines[0] <= upTo ? span.grows : 0), 0)
  return [first + grown(first - 1), last + grown(last)]
}

function findOne(index: LineIndex, edit: Edit, label: string): Result<readonly number[]> {
  if (edit.old === '')
    return failed('INVALID_ARGUMENTS', `${label}\`old\` is empty.`, 'Copy the text to replace from the file.')
  if (edit.old === edit.new) return failed('INVALID_ARGUMENTS', `${label}\`old\` and \`new\` are the same.`)
  const step = edit.all === true ? edit.old.length : 1
  const found: number[] = []
  for (let at = index.text.indexOf(edit.old); at !== -1; at = index.text.indexOf(edit.old, at + step)) found.push(at)
  if (found.length === 0) return noMatch(index.text, edit.old, label)
  if (found.length === 1 || edit.all === true) return fine(found)
  const lines = found.map((at) => index.line(at))
  const many = lines.length > 10 ? `${lines.slice(0, 10).join(', ')}, …` : lines.join(', ')
  const message = `${label}\`old\` is in the file ${found.length} times, at lines ${many}.`
  return failed('AMBIGUOUS_MATCH', message, 'Add neighbouring lines to `old`, or set `all` to replace every one.')
}

function noMatch(text: string, old: string, label: string): Result<never> {
  const size = Math.max(1, linesOf(old.trim()).length)
  const show = (line: number) => exactLines(text, [line, line + size - 1])
  const loose = looseMatches(text, old)
  const copy = 'Copy the exact text into `old`.'
  if (loose.length > 1) {
    const places = loose.slice(0, 5).map(show).join('\n')
    const message = `${label}\`old\` is not in the file exactly; apart from blanks and typographic characters it is there ${loose.length} times:\n${places}`
    return failed('AMBIGUOUS_MATCH', message, copy)
  }
  const [only] = loose
  if (only !== undefined) {
    const message = `${label}\`old\` is not in the file exactly; it differs in blanks or typographic characters from:\n${show(only)}`
    return failed('NO_MATCH', message, copy)
  }
  const similar = similarPlaces(text, old)
  if (similar.length === 0)
    return failed('NO_MATCH', `${label}\`old\` is not in the file, and nothing like it.`, 'Read the file again.')
  const places = similar.map(show).join('\n…\n')
  return failed('NO_MATCH', `${label}\`old\` is not in the file. The most similar lines:\n${places}`, copy)
}

interface Match {
  readonly start: number
  readonly end: number
  readonly edit: Edit
}

function spanAt(index: LineIndex, { start, end, edit }: Match, file: TextFile): Span {
  const lines = [index.line(start), index.line(end - 1)] as const
  const lineEnd = index.lineEnd(lines[0], lines[1]) ?? index.lineEnd(lines[0], lines[0]) ?? file.lineEnd
  const fresh = plain(edit.new)
  return {
    start: index.original(start),
    end: index.original(end),
    lines,
    text: lineEnd === '\r\n' ? fresh.replaceAll('\n', '\r\n') : fresh,
    grows: feeds(fresh) - feeds(plain(edit.old)),
  }
}

const plain = (text: string): string => text.replaceAll('\r\n', '\n')
const feeds = (text: string): number => text.split('\n').length - 1
