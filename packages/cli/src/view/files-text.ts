import {
  type RestoreDone,
  type RestoreLine,
  type RestorePlan,
  restoreChoice,
  restoreOutcome,
  restorePreview,
} from '@rein/harness'
import type { Paint } from './paint.ts'
import { safeText } from './safe-text.ts'

type Shown = Parameters<typeof restorePreview>[0]

/** Whether a restore would change a file. */
export const changesFiles = (plan: RestorePlan, overwrite: boolean): boolean =>
  restoreChoice(plan, overwrite).going.length > 0

/** What going back does to files, for people. */
export const filesText = (plan: Shown, { colors, overwrite }: { colors: Paint; overwrite: boolean }): string[] =>
  restorePreview(plan, overwrite).map((line) => drawn(line, colors))

/** What was done, and what was not although it was planned. */
export const restoredText = (done: RestoreDone, plan: RestorePlan, overwrite: boolean): string[] =>
  restoreOutcome(done, plan, overwrite).map(({ text }) => safeText(text))

function drawn({ text, tone }: RestoreLine, colors: Paint): string {
  const safe = safeText(text)
  if (tone === 'plain') return safe
  return tone === 'warning' ? colors.yellow(safe) : colors.dim(safe)
}
