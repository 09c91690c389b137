import type { FoundSession, Place } from '@rein/harness'
import type { Cli } from '../cli.ts'
import { type Paint, paint } from './paint.ts'
import { oneLine, safeText } from './safe-text.ts'
import { sessionTable } from './session-table.ts'

/** Sessions that were found, and under each the places, without a line end at the end. */
export function foundText(found: readonly FoundSession[], cli: Cli): string {
  const colors = paint(cli.color)
  const rows = sessionTable(
    found.map(({ session }) => session),
    cli,
  ).split('\n')
  const lines = found.flatMap(({ places }, at) => [rows[at] ?? '', ...places.map((place) => placeLine(place, colors))])
  return lines.join('\n')
}

/** `    #12 bash  … what was **found** there …` */
function placeLine({ seq, who, snippet }: Place, { dim, bold, yellow }: Paint): string {
  const text = snippet.map(({ text, match }) => {
    const shown = safeText(text).replaceAll('\n', ' ')
    return match ? bold(yellow(shown)) : shown
  })
  return `    ${dim(`#${seq} ${oneLine(who, 24)}`)}  ${text.join('')}`
}
