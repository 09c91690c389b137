import { logEnds } from '@rein/harness'
import type { Failure, SessionEntry } from '@rein/session'
import type { Cli, Command } from '../cli.ts'
import { exits } from '../exit.ts'
import { moment, size } from '../view/amount.ts'
import { type Paint, paint } from '../view/paint.ts'
import { oneLine, safeText } from '../view/safe-text.ts'
import { type Glance, glance } from './glance.ts'
import { refuse, storeOf } from './stored-log.ts'

/** One row of the list. */
interface Row extends Glance {
  readonly entry: SessionEntry
}

/** `rein sessions [query]`: newest first, of all directories or of the one `--cwd` names. Reads the ends of logs only. */
export const sessions: Command = async (cli, args) => {
  if (args.words.length > 1) return refuse(cli, oneQuery(args.words))
  const query = args.words[0]?.toLowerCase() ?? ''
  const ends = await logEnds(cli.home)
  const entries = await storeOf(cli).list()
  const here = args.has('cwd') ? entries.filter(({ cwd }) => cwd === cli.cwd) : entries
  const rows = here.map((entry): Row => ({ entry, ...glance(ends(entry.id), entry.state) }))
  const found = rows.filter((row) => matches(row, query))
  if (args.has('json')) for (const row of found) await cli.out(`${JSON.stringify(plain(row))}\n`)
  else if (found.length > 0) await cli.out(table(found, cli))
  else cli.err(rows.length === 0 ? 'There is no session yet.\n' : 'No session matches.\n')
  return exits.done
}

const oneQuery = (words: readonly string[]): Failure => ({
  code: 'USAGE',
  message: `\`rein sessions\` takes one query, not ${words.length}.`,
  next: `Put words that belong together in quotes: rein sessions "${words.join(' ')}"`,
})

const matches = ({ entry, title, prompt }: Row, query: string): boolean =>
  [entry.id, entry.cwd ?? '', title, prompt].some((text) => text.toLowerCase().includes(query))

const plain = ({ entry, title, outcome }: Row) => ({
  id: entry.id,
  changed: new Date(entry.changed).toISOString(),
  cwd: entry.cwd,
  state: entry.state,
  title,
  bytes: entry.bytes,
  outcome,
})

function table(rows: readonly Row[], cli: Cli): string {
  const colors = paint(cli.color)
  const cells = rows.map((row) =>
    [row.entry.id, directory(row, cli), outcomeOf(row), size(row.entry.bytes)].map(safeText),
  )
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)))
  const [idWidth = 0, cwdWidth = 0, outcomeWidth = 0, sizeWidth = 0] = widths
  const used = idWidth + cwdWidth + outcomeWidth + sizeWidth + 16 + 8
  const room = cli.terminal ? Math.max(20, columns(cli) - used) : 100
  const lines = rows.map((row, at) => {
    const [id = '', cwd = '', outcome = '', bytes = ''] = cells[at] ?? []
    return [
      id.padEnd(idWidth),
      colors.dim(moment(row.entry.changed)),
      styleOf(row, colors)(outcome.padEnd(outcomeWidth)),
      bytes.padStart(sizeWidth),
      cwd.padEnd(cwdWidth),
      oneLine(row.title, room),
    ].join('  ')
  })
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`
}

/** What is held or broken says so; else how the last turn ended. */
const outcomeOf = ({ entry, outcome }: Row): string => (entry.state === 'free' ? (outcome ?? 'empty') : entry.state)

function styleOf({ entry, outcome }: Row, { green, red, yellow, dim }: Paint): Paint['dim'] {
  if (entry.state === 'broken' || outcome === 'error') return red
  if (entry.state === 'held') return yellow
  return outcome === 'completed' ? green : dim
}

/** The last two parts of the directory, or `~` for the home. */
function directory({ entry }: Row, { env }: Cli): string {
  const { cwd } = entry
  if (cwd === null) return '?'
  const short = env['HOME'] && cwd.startsWith(env['HOME']) ? `~${cwd.slice(env['HOME'].length)}` : cwd
  return short.length <= MOST ? short : `…${short.slice(1 - MOST)}`
}

/** Characters of a directory that are shown. */
const MOST = 32

const columns = ({ env }: Cli): number => process.stdout.columns ?? (Number(env['COLUMNS']) || 100)
