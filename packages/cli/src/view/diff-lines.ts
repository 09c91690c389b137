import type { Paint } from './paint.ts'
import { safeText } from './safe-text.ts'

/** The lines of a unified diff in colours, at most `lines` of them, told how many are missing. */
export function diffLines(
  diff: string,
  { paint, lines }: { readonly paint: Paint; readonly lines: number },
): readonly string[] {
  if (diff === '') return []
  const all = safeText(diff).split('\n')
  const shown = all.slice(0, lines).map((line) => {
    if (line.startsWith('@@')) return paint.cyan(line)
    if (line.startsWith('+')) return paint.green(line)
    return line.startsWith('-') ? paint.red(line) : line
  })
  return all.length > lines ? [...shown, paint.dim(`… ${all.length - lines} more lines of the diff`)] : shown
}
