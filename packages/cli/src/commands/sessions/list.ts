import type { FoundSession, ListedSession } from '@rein/harness'
import { type SessionIndex, sessionIndex } from '@rein/harness/store'
import type { Args } from '../../args.ts'
import type { Cli, Command } from '../../cli.ts'
import { exits } from '../../exit.ts'
import { keepClean } from '../../retention.ts'
import { usageFailure } from '../../usage.ts'
import { counted } from '../../view/amount.ts'
import { foundText } from '../../view/found-text.ts'
import { paint } from '../../view/paint.ts'
import { shownJson } from '../../view/safe-text.ts'
import { columns, sessionTable } from '../../view/session-table.ts'
import { refuse, storeOf } from '../stored-log.ts'
import { filters } from './filters.ts'
import { plain } from './plain.ts'
import { reading } from './reading.ts'

/** What a terminal gets unless `--limit` or `--all` says otherwise; a pipe gets everything. */
const mostListed = 40
const mostFound = 15
/** Places shown in each session that was found. */
const placesShown = 3
const placesGiven = 10
/** How long a plain list may read logs whole, in milliseconds; the rest is read by the next one. */
const readingMs = 3000

/** `rein sessions [query]`: the newest first, or what meets the query, the best first. */
export const list: Command = async (cli, args) => {
  const exit = await shown(cli, args)
  await keepClean(cli, args)
  return exit
}

const shown: Command = async (cli, args) => {
  const now = Date.now()
  const chosen = filters(cli, args, now)
  if (!chosen.ok) return refuse(cli, chosen.failure)
  if (args.has('limit') && args.has('all')) return refuse(cli, usageFailure('--all and --limit say different things'))
  const query = args.words.join(' ').trim()
  if (args.has('tree') && (query !== '' || args.has('json') || args.has('limit')))
    return refuse(cli, usageFailure('--tree shows the whole list; it goes with no query, no --json and no --limit'))
  using index = await indexOf(cli, args)
  const told = reading(cli, process.stderr.isTTY === true)
  const deep = chosen.value.deep || args.has('json') || args.has('tree')
  const { progress } = told
  const sessions = await index.list({ facts: deep, ...(!deep && { withinMs: readingMs }), progress })
  const kept = sessions.filter((session) => chosen.value.keeps(session))
  if (query === '') {
    told.end()
    return listed(cli, args, { kept, any: sessions.length > 0 })
  }
  const how = {
    now,
    sessions: limit(cli, args, mostFound),
    places: args.has('json') ? placesGiven : placesShown,
    progress,
  }
  const answer = await index.search(query, kept, how)
  told.end()
  return foundOut(cli, args, answer)
}

const indexOf = (cli: Cli, args: Args): Promise<SessionIndex> =>
  sessionIndex({
    home: cli.home,
    store: storeOf(cli),
    // Not `performance`, which is loaded when it is first asked for.
    clock: () => Number(process.hrtime.bigint()) / 1e6,
    ...(args.has('verbose') && { said: (sentence: string) => cli.err(`${sentence}\n`) }),
  })

function limit(cli: Cli, args: Args, most: number): number {
  const typed = args.value('limit')
  if (typed !== undefined) return Number(typed)
  return args.has('all') || args.has('json') || !cli.terminal ? Number.POSITIVE_INFINITY : most
}

async function listed(
  cli: Cli,
  args: Args,
  { kept, any }: { readonly kept: readonly ListedSession[]; readonly any: boolean },
): Promise<number> {
  const shown = kept.slice(0, limit(cli, args, mostListed))
  if (args.has('tree') && kept.length > 0) return tree(cli, kept)
  if (args.has('json')) await cli.out(shown.map((session) => `${shownJson(cli, plain(session))}\n`).join(''))
  else if (shown.length > 0) await cli.out(`${sessionTable(shown, cli)}\n`)
  else cli.err(any ? 'No session matches.\n' : 'There is no session yet.\n')
  more(cli, args, kept.length - shown.length)
  return exits.done
}

/** Forks under the sessions they came from, all of them: a part of a tree would be another tree. */
async function tree(cli: Cli, kept: readonly ListedSession[]): Promise<number> {
  const { sessionTree } = await import('../../view/session-tree.ts')
  const rows = kept.map((session) => {
    const { parent = null } = session.facts ?? {}
    return { ...session, id: session.entry.id, parent: parent?.id ?? null, at: parent?.at ?? null }
  })
  await cli.out(`${sessionTree(rows, { color: cli.color, ...(cli.terminal && { width: columns(cli) }) })}\n`)
  return exits.done
}

async function foundOut(
  cli: Cli,
  args: Args,
  { found, total }: { readonly found: readonly FoundSession[]; readonly total: number },
): Promise<number> {
  if (args.has('json')) {
    await cli.out(found.map(({ session, places }) => `${JSON.stringify(plain(session, places))}\n`).join(''))
  } else if (found.length > 0) {
    await cli.out(`${foundText(found, cli)}\n`)
    const [at] = found.flatMap(({ session, places }) => places.map(({ seq }) => `${session.entry.id} --from ${seq}`))
    if (cli.terminal && at !== undefined) cli.err(`${paint(cli.color).dim(`Go there with: rein show ${at}`)}\n`)
  } else cli.err('No session matches.\n')
  more(cli, args, total - found.length)
  return exits.done
}

function more(cli: Cli, args: Args, hidden: number): void {
  if (hidden > 0 && !args.has('json'))
    cli.err(`${paint(cli.color).dim(`${counted(hidden, 'more session')}; --all shows them, --limit N so many.`)}\n`)
}
