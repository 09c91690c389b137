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
  const fixed = rows.map(({ entry, outcome }) => [entry.id, outcomeOf(entry, outcome), size(entry.bytes)].map(safeText))
  const [id = 0, outcome = 0, bytes = 0] = [0, 1, 2].map((at) => widest(fixed.map((cells) => cells[at] ?? '')))
  // Five gaps of two, and sixteen for the moment; what is left is shared by directory and title.
  const left = cli.terminal ? Math.max(20, columns(cli) - id - outcome - bytes - 26) : 132
  const folders = rows.map((row) => safeText(directory(row, cli.env['HOME'], Math.min(32, Math.floor(left * 0.4)))))
  const folder = widest(folders)
  const lines = rows.map((row, at) => {
    const [name = '', ended = '', much = ''] = fixed[at] ?? []
    const cells = [
      name.padEnd(id),
      colors.dim(moment(row.entry.changed)),
      styleOf(row, colors)(ended.padEnd(outcome)),
      much.padStart(bytes),
      (folders[at] ?? '').padEnd(folder),
      oneLine(row.title, left - folder),
    ]
    return cells.join('  ').trimEnd()
  })
  return `${lines.join('\n')}\n`
}

const widest = (cells: readonly string[]): number => cells.reduce((most, cell) => Math.max(most, cell.length), 0)

/** What is held or broken says so; else how the last turn ended. */
const outcomeOf = ({ state }: SessionEntry, outcome: Glance['outcome']): string =>
  state === 'free' ? (outcome ?? 'empty') : state

function styleOf({ entry, outcome }: Row, { green, red, yellow, dim }: Paint): Paint['dim'] {
  if (entry.state === 'broken' || outcome === 'error') return red
  if (entry.state === 'held') return yellow
  return outcome === 'completed' ? green : dim
}

/** The end of the directory, `~` for the person's home. */
function directory({ entry }: Row, home: string | undefined, most: number): string {
  const { cwd } = entry
  if (cwd === null) return '?'
  const short = home && (cwd === home || cwd.startsWith(`${home}/`)) ? `~${cwd.slice(home.length)}` : cwd
  return short.length <= most ? short : `…${short.slice(1 - most)}`
}

const columns = ({ env }: Cli): number => process.stdout.columns ?? (Number(env['COLUMNS']) || 100)
