import { defaults, type Effective, presetRows, rowText } from '@rein/harness'
import type { Command } from '../cli.ts'
import { exits } from '../exit.ts'
import { loadFor } from '../settings.ts'
import { type Paint, paint } from '../view/paint.ts'
import { safeText } from '../view/safe-text.ts'
import { refuse } from './stored-log.ts'

/** `rein config`: the effective settings and plugin rows, each with where it comes from; `--defaults`; `explain KEY`. */
export const config: Command = async (cli, args) => {
  const [verb, key, ...more] = args.words
  if (verb !== undefined && (verb !== 'explain' || key === undefined || more.length > 0)) {
    const message = `\`rein config ${args.words.join(' ')}\` is not known.`
    return refuse(cli, { code: 'USAGE', message, next: 'It is `rein config` or `rein config explain KEY`.' })
  }
  const loaded = args.has('defaults') ? ready(defaults()) : await loadFor(cli, args, 'withhold')
  if (!loaded.ok) return refuse(cli, loaded.failure)
  const { value } = loaded
  // What is wrong is left out and said afterwards; the rest can be looked at.
  const effective = value.kind === 'ready' ? value.effective : value.kind === 'bad' ? value.rest : defaults()
  await cli.out(key === undefined ? listed(effective, paint(cli.color)) : explained(effective, key))
  return value.kind === 'ready' ? exits.done : refuse(cli, value.failure)
}

const ready = (effective: Effective) => ({ ok: true, value: { kind: 'ready', effective } }) as const

/** Who says what, the strongest first; `→` stands before what counts. */
function explained(effective: Effective, key: string): string {
  const said = effective.explain(key)
  if (said.length > 0) {
    const lines = said.map(({ place, value, counts }) => `${counts ? '→' : ' '} ${rowText({ key, value, place })}`)
    return `${safeText(lines.join('\n'))}\n`
  }
  const isRow = presetRows('standard').some(({ id }) => key === `plugins.${id}`)
  return `${safeText(key)}: ${isRow ? 'a built-in row nobody changes' : 'nobody says anything about it'}\n`
}

function listed({ rows, withheld }: Effective, colors: Paint): string {
  const own = presetRows('standard')
    .filter(({ id }) => !rows.some(({ key }) => key === `plugins.${id}` || key.startsWith(`plugins.${id}.`)))
    .map(({ id }) => `plugins.${id}  (built-in)`)
  const written = rows.filter(({ key }) => key !== 'plugins').map(rowText)
  const lines = [...written, ...own].map((line) => painted(line, colors))
  return `${[...lines, ...withheld.flatMap((file) => notAgreed(file, colors))].join('\n')}\n`
}

/** The place at the end of a row is dimmed. */
function painted(row: string, { dim }: Paint): string {
  const [, said = row, place = ''] = /^(.*?)( {2}\([^()]*\))$/.exec(safeText(row)) ?? []
  return said + dim(place)
}

function notAgreed({ file, line, hash, items }: Effective['withheld'][number], { yellow }: Paint): readonly string[] {
  return [
    '',
    yellow(safeText(`${file}:${line}: not in effect without your consent:`)),
    ...items.map((item) => `  ${safeText(item)}`),
    `  agree for one run with --trust-project ${hash}, or leave the file out with --ignore-project`,
  ]
}
