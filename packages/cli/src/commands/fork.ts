import { processHolder } from '@rein/harness'
import { forkSession } from '@rein/session'
import type { Command } from '../cli.ts'
import { exits } from '../exit.ts'
import { realPorts } from '../ports.ts'
import { usageFailure } from '../usage.ts'
import { damageText } from '../view/marks.ts'
import { paint } from '../view/paint.ts'
import { namedId, refuse, storeOf } from './stored-log.ts'

/** `rein fork <id> [--at SEQ]`: a new session from a prefix of another; the other one is left as it is. */
export const fork: Command = async (cli, args) => {
  const at = args.value('at')
  if (at !== undefined && !/^\d{1,15}$/.test(at)) return refuse(cli, badPlace(at))
  const store = storeOf(cli)
  const from = await namedId(cli, store, args)
  if (!from.ok) return refuse(cli, from.failure)
  // A fork is kept where its parent is.
  const keeping = storeOf(cli, await store.whereIs(from.value))
  const options = { store: keeping, ports: realPorts, holder: processHolder(), rein: cli.version }
  const forked = await forkSession(options, { id: from.value, ...(at !== undefined && { at: Number(at) }) })
  if (!forked.ok) return refuse(cli, forked.failure)
  const { id, damage } = forked.value
  await forked.value.close()
  await cli.out(`${id}\n`)
  const { dim, red } = paint(cli.color)
  for (const one of damage) cli.err(`${red(`${damageText(one)}; the log of ${from.value} is left as it is`)}\n`)
  const place = at === undefined ? '' : ` after event ${at}`
  cli.err(`${dim(`forked from ${from.value}${place}; go on with: rein resume ${id}`)}\n`)
  return exits.done
}

const badPlace = (typed: string) =>
  usageFailure(
    `--at ${JSON.stringify(typed)} is no number of an event.`,
    '`rein show <id> --events` has them, as "seq".',
  )
