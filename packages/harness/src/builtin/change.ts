import type { Json } from '@rein/session'
import { shortDiff, type TextDiff } from '../files/diff.ts'

const VIEW_LINES = 400

/** What a person sees of a change to one file. `created` tells a new file from a replaced one. */
export function diffView(path: string, { diff, added, removed }: TextDiff, created: boolean): Json {
  return { kind: 'diff', path, diff: shortDiff(diff, VIEW_LINES), added, removed, created }
}

/** Such as `+3 -1 lines`. */
export const amount = ({ added, removed }: TextDiff): string => `+${added} -${removed} lines`
