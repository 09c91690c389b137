import { defaults, type Effective, keyProblem, nearest, presetRows, rowText } from '@rein/harness'
import type { Result } from '@rein/session'
import type { Command } from '../cli.ts'
import { exits } from '../exit.ts'
import { loadFor } from '../settings.ts'
import { usage, usageFailure } from '../usage.ts'
import { type Paint, paint } from '../view/paint.ts'
import { safeText } from '../view/safe-text.ts'
import { refuse } from './stored-log.ts'

/** `rein config`: the effective settings and plugin rows, each with where it comes from; `--defaults`; `explain KEY`. */
export const config: Command = async (cli, args) => {
  const [verb, key, ...more] = args.words
  if (verb !== undefined && (verb !== 'explain' || key === undefined || more.length > 0)) {
    const message = `\`rein config ${args.words.join(' ')}\` is not known.`
    return refuse(cli, usageFailure(message, 'It is `rein config` or `rein config explain KEY`.'))
  }
  const loaded = args.has('defaults') ? ready(defaults()) : await loadFor(cli, args, 'withhold')
  if (!loaded.ok) return refuse(cli, loaded.failure)
  const { value } = loaded
  // What is wrong is left out and said afterwards; the rest can be looked at.
  const effective = value.kind === 'ready' ? value.effective : value.kind === 'bad' ? value.rest : defaults()
  const colors = paint(cli.color)
  if (key === undefined) await cli.out(listed(effective, colors))
  else {
    const known = explained(effective, key)
    if (!known.ok) return refuse(cli, known.failure)
    await cli.out(lines([known.value, ...withheldFrom(effective, colors)]))
  }
  return value.kind === 'ready' ? exits.done : refuse(cli, value.failure)
}

const ready = (effective: Effective) => ({ ok: true, value: { kind: 'ready', effective } }) as const

/** Who says what, the strongest first; `→` stands before what counts. */
function explained(effective: Effective, key: string): Result<string> {
  const said = effective.explain(key)
  if (said.length > 0) {
    const rows = said.map(({ place, value, counts }) => `${counts ? '→' : ' '} ${rowText({ key, value, place })}`)
    return { ok: true, value: safeText(rows.join('\n')) }
  }
  const ids = presetRows('standard').map(({ id }) => id)
  const [top, id = '', ...below] = key.split('.')
  const near = top === 'plugins' && !ids.includes(id) ? nearest(id, ids) : undefined
  const wrong = near === undefined ? keyProblem(key) : `${key}: there is no such row; did you mean ${near}?`
  if (wrong !== undefined) return usage(safeText(wrong), '`rein config` lists the keys in force.')
  const isRow = top === 'plugins' && below.length === 0 && ids.includes(id)
  const value = `${safeText(key)}: ${isRow ? 'a built-in row nobody changes' : 'nobody says anything about it'}`
  return { ok: true, value }
}

function listed(effective: Effective, colors: Paint): string {
  const { rows } = effective
  const own = presetRows('standard')
    .filter(({ id }) => !rows.some(({ key }) => key === `plugins.${id}` || key.startsWith(`plugins.${id}.`)))
    .map(({ id }) => `plugins.${id}  (built-in)`)
  const written = rows.filter(({ key }) => key !== 'plugins').map(rowText)
  return lines([...[...written, ...own].map((line) => painted(line, colors)), ...withheldFrom(effective, colors)])
}

const lines = (all: readonly string[]): string => `${all.join('\n')}\n`

const withheldFrom = ({ withheld }: Effective, colors: Paint): readonly string[] =>
  withheld.flatMap((file) => notAgreed(file, colors))

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
