import { type PlannedFile, type RestoreDone, type RestorePlan, restoreWarnings } from '@rein/harness'
import { counted } from './amount.ts'
import type { Paint } from './paint.ts'
import { safeText } from './safe-text.ts'

/** Paths a person is shown of each kind; the number of the others is said. */
const most = 40

const marks: Readonly<Record<PlannedFile['action'], string>> = { create: '+', overwrite: '~', delete: '-', mode: 'x' }

type Shown = Pick<RestorePlan, 'files' | 'left' | 'exact' | 'uncovered'>

/** Whether a restore would change a file. */
export const changesFiles = ({ files }: RestorePlan, overwrite: boolean): boolean =>
  files.some(({ by }) => overwrite || by === 'session')

/** What going back does to files, for people: + comes back, ~ is overwritten, - is deleted, x gets its mode back. */
export function filesText(plan: Shown, { colors, overwrite }: { colors: Paint; overwrite: boolean }): string[] {
  const { files, left } = plan
  const going = files.filter(({ by }) => overwrite || by === 'session')
  const kept = files.filter(({ by }) => !overwrite && by !== 'session')
  return [
    ...restoreWarnings(plan).map(colors.yellow),
    ...(going.length === 0 ? ['No file goes back.'] : [`${counted(going.length, 'file')} would go back:`]),
    ...few(going.map(({ path, action }) => `  ${marks[action]} ${named(path)}`)),
    ...(kept.length === 0 ? [] : [colors.yellow('Changed by somebody else since, and kept without --overwrite:')]),
    ...few(kept.map(({ path, action }) => `  ${marks[action]} ${named(path)}`)),
    ...(left.length === 0 ? [] : [colors.yellow('Cannot go back:')]),
    ...few(left.map(({ path, why }) => `  ${named(path)}: ${why}`)),
  ]
}

/** What was done, and what was not although it was planned. */
export function restoredText({ paths, left }: RestoreDone, planned: RestorePlan): string[] {
  const known = new Set(planned.left.map(({ path }) => path))
  const failed = left.filter(({ path }) => !known.has(path))
  return [
    `${counted(paths.length, 'file')} went back`,
    ...few(failed.map(({ path, why }) => `  ${named(path)} did not: ${why}`)),
  ]
}

/** A path in one line: a name may hold a line end, and a list must not show it as another entry. */
const named = (path: string): string => safeText(path).replaceAll('\n', '\\n').replaceAll('\t', '\\t')

const few = (lines: readonly string[]): readonly string[] =>
  lines.length <= most ? lines : [...lines.slice(0, most), `  and ${lines.length - most} more`]
