import type { ListedSession } from '@rein/harness'
import { knownFormats } from '@rein/session'
import type { Cli } from '../cli.ts'
import { moment, size } from './amount.ts'
import { columnsOf, endOf, padTo } from './columns.ts'
import { type Paint, paint } from './paint.ts'
import { oneLine, safeText } from './safe-text.ts'

/** What a list is made of. */
export type SessionRow = Pick<ListedSession, 'entry' | 'title' | 'outcome' | 'damage' | 'format'>

/** Rows of sessions for people, in columns, without a line end at the end. */
export function sessionTable(rows: readonly SessionRow[], cli: Cli): string {
  const colors = paint(cli.color)
  const names = rows.map(({ entry }) => safeText(entry.id))
  const sizes = rows.map(({ entry }) => size(entry.bytes))
  const [id, outcome, bytes] = [widest(names), rows.reduce(longer, 0), widest(sizes)]
  // Five gaps of two, and sixteen for the moment; what is left is shared by directory and title.
  const left = cli.terminal ? Math.max(20, columns(cli) - id - outcome - bytes - 26) : 132
  const folders = foldersOf(rows, cli, Math.min(32, Math.floor(left * 0.4)))
  const folder = widest([...folders.values()])
  const lineOf = (row: SessionRow, at: number): string => {
    const ended = styleOf(row, colors)(outcomeOf(row).padEnd(outcome))
    const where = padTo(folders.get(row.entry.cwd) ?? '', folder)
    const start = `${names[at]?.padEnd(id)}  ${colors.dim(moment(row.entry.changed))}  ${ended}`
    return `${start}  ${sizes[at]?.padStart(bytes)}  ${where}  ${oneLine(row.title, left - folder)}`.trimEnd()
  }
  // Some at a time: the pieces of thousands of rows would all be kept until the last one.
  const blocks: string[] = []
  for (let from = 0; from < rows.length; from += 64)
    blocks.push(
      rows
        .slice(from, from + 64)
        .map((row, at) => lineOf(row, from + at))
        .join('\n'),
    )
  return blocks.join('\n')
}

const widest = (cells: readonly string[]): number => cells.reduce((most, cell) => Math.max(most, columnsOf(cell)), 0)
const longer = (most: number, row: SessionRow): number => Math.max(most, outcomeOf(row).length)

/** Many sessions have one directory. */
function foldersOf(rows: readonly SessionRow[], cli: Cli, most: number): ReadonlyMap<string | null, string> {
  const shown = new Map<string | null, string>()
  for (const { entry } of rows)
    if (!shown.has(entry.cwd)) shown.set(entry.cwd, safeText(directory(entry.cwd, cli.env['HOME'], most)))
  return shown
}

/**
 * What stands in the way of going on, before anything else: held by a writer, nothing can be read, written by a newer
 * version, something in it is lost.
 */
export function stateOf({ entry, damage, format }: SessionRow): 'held' | 'broken' | 'newer' | 'damaged' | 'free' {
  if (entry.state !== 'free') return entry.state
  if (format !== null && format > knownFormats.newest) return 'newer'
  return damage > 0 ? 'damaged' : 'free'
}

/** The state where there is something to say of it; else how the last turn ended. */
function outcomeOf(row: SessionRow): string {
  const state = stateOf(row)
  return state === 'free' ? (row.outcome ?? 'empty') : state
}

function styleOf(row: SessionRow, { green, red, yellow, dim }: Paint): Paint['dim'] {
  const state = stateOf(row)
  if (state === 'held') return yellow
  if (state !== 'free' || row.outcome === 'error') return red
  return row.outcome === 'completed' ? green : dim
}

/** The end of the directory, `~` for the person's home. */
function directory(cwd: string | null, home: string | undefined, most: number): string {
  if (cwd === null) return '?'
  const short = home && (cwd === home || cwd.startsWith(`${home}/`)) ? `~${cwd.slice(home.length)}` : cwd
  return endOf(short, most)
}

export const columns = ({ env }: Cli): number => process.stdout.columns ?? (Number(env['COLUMNS']) || 100)
