import { logEnds } from '@rein/harness'
import type { Failure } from '@rein/session'
import type { Command } from '../../cli.ts'
import { exits } from '../../exit.ts'
import { type SessionRow, sessionTable } from '../../view/session-table.ts'
import { glance } from '../glance.ts'
import { refuse, storeOf } from '../stored-log.ts'

/** `rein sessions [query]`: newest first, of all directories or of the one `--cwd` names. Reads the ends of logs only. */
export const list: Command = async (cli, args) => {
  if (args.words.length > 1) return refuse(cli, oneQuery(args.words))
  const query = args.words[0]?.toLowerCase() ?? ''
  const ends = await logEnds(cli.home)
  const entries = await storeOf(cli).list()
  const here = args.has('cwd') ? entries.filter(({ cwd }) => cwd === cli.cwd) : entries
  const rows = here.map((entry): SessionRow => ({ entry, ...glance(ends(entry.id), entry.state) }))
  const found = rows.filter((row) => matches(row, query))
  if (args.has('json')) for (const row of found) await cli.out(`${JSON.stringify(plain(row))}\n`)
  else if (found.length > 0) await cli.out(`${sessionTable(found, cli)}\n`)
  else cli.err(rows.length === 0 ? 'There is no session yet.\n' : 'No session matches.\n')
  return exits.done
}

const oneQuery = (words: readonly string[]): Failure => ({
  code: 'USAGE',
  message: `\`rein sessions\` takes one query, not ${words.length}.`,
  next: `Put words that belong together in quotes: rein sessions "${words.join(' ')}"`,
})

const matches = ({ entry, title, prompt }: SessionRow, query: string): boolean =>
  [entry.id, entry.cwd ?? '', title, prompt].some((text) => text.toLowerCase().includes(query))

const plain = ({ entry, title, outcome }: SessionRow) => ({
  id: entry.id,
  changed: new Date(entry.changed).toISOString(),
  cwd: entry.cwd,
  state: entry.state,
  title,
  bytes: entry.bytes,
  outcome,
})
