import type { Json } from '@rein/session'
import { shortDiff, type TextDiff } from '../files/diff.ts'

const VIEW_LINES = 400

/**
 * What a person sees of a change to one file.
 * @param before hash of the version that was changed, which the rules of the log hold against what was seen; null
 * where the file is new.
 */
export function diffView(path: string, { diff, added, removed }: TextDiff, before: string | null): Json {
  return { kind: 'diff', path, diff: shortDiff(diff, VIEW_LINES), added, removed, created: before === null, before }
}

/** Such as `+3 -1 lines`. */
export const amount = ({ added, removed }: TextDiff): string => `+${added} -${removed} lines`
