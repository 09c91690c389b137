import { type Moved, moveSession, processHolder } from '@rein/harness'
import type { Command } from '../../cli.ts'
import { exits } from '../../exit.ts'
import { usageFailure } from '../../usage.ts'
import { size } from '../../view/amount.ts'
import { namedId, refuse, storeOf } from '../stored-log.ts'

/** `rein sessions move <id> --to jsonl|sqlite`: another store keeps it from now on; the original goes to the trash. */
export const move: Command = async (cli, args) => {
  const to = args.value('to')
  if (to === undefined) return refuse(cli, usageFailure('where to is said with --to jsonl or --to sqlite'))
  const store = storeOf(cli)
  const id = await namedId(cli, store, args)
  if (!id.ok) return refuse(cli, id.failure)
  const moved = await moveSession(store, { id: id.value, to }, processHolder())
  if (!moved.ok) return refuse(cli, moved.failure)
  await cli.out(`${id.value}\n`)
  cli.err(`${told(moved.value)}\n`)
  return exits.done
}

function told({ from, to, outcome, bytes, head }: Moved): string {
  const log = `${size(bytes)} of log${head === null ? '' : `, head ${head}`}`
  switch (outcome) {
    case 'moved':
      return `moved from ${from} to ${to}: ${log}; the original is in the trash`
    case 'finished':
      return `it is in ${to} already: ${log}; the copy that a move had left is in the trash`
    case 'there':
      return `it is in ${to} already: ${log}; nothing was done`
  }
}
