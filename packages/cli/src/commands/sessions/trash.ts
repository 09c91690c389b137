import type { HomeStore } from '@rein/harness'
import type { Result, Trashed } from '@rein/session'
import { agreed } from '../../agreed.ts'
import type { Args } from '../../args.ts'
import type { Cli, Command } from '../../cli.ts'
import { exits } from '../../exit.ts'
import { usage, usageFailure } from '../../usage.ts'
import { counted, moment, size } from '../../view/amount.ts'
import { oneLine } from '../../view/safe-text.ts'
import { refuse, storeOf } from '../stored-log.ts'

/**
 * `rein sessions trash`: what was put away; `<id>…` puts sessions away, `--restore NAME` takes them back, and `--empty`
 * is the one thing that deletes.
 */
export const trash: Command = async (cli, args) => {
  const store = storeOf(cli)
  const wrong = misused(args)
  if (wrong !== undefined) return refuse(cli, usageFailure(wrong))
  if (args.has('restore')) return restored(cli, store, args.values('restore'))
  if (args.has('empty')) return emptied(cli, store, args)
  return args.words.length === 0 ? listed(cli, store, args) : putAway(cli, store, args.words)
}

function misused(args: Args): string | undefined {
  if (args.has('restore') && args.has('empty')) return '--restore and --empty are different things'
  if (args.has('restore') && args.words.length > 0)
    return '--restore is given once for each name: --restore A --restore B'
  if (args.has('yes') && !args.has('empty')) return '--yes makes sense only with --empty'
  return args.has('json') && (args.has('empty') || args.has('restore') || args.words.length > 0)
    ? '--json makes sense only for the list'
    : undefined
}

async function listed(cli: Cli, store: HomeStore, args: Args): Promise<number> {
  const all = await store.trashed()
  if (args.has('json')) {
    const lines = all.map(({ name, id, at, bytes }) =>
      JSON.stringify({ name, id, at: new Date(at).toISOString(), bytes }),
    )
    await cli.out(lines.map((line) => `${line}\n`).join(''))
    return exits.done
  }
  if (all.length === 0) {
    cli.err('The trash is empty.\n')
    return exits.done
  }
  const widest = Math.max(...all.map(({ name }) => name.length))
  for (const { name, at, bytes } of all)
    await cli.out(`${oneLine(name, 300).padEnd(widest)}  ${moment(at)}  ${size(bytes).padStart(7)}\n`)
  cli.err(`${summed(all)}; --restore NAME takes one back, --empty deletes for good.\n`)
  return exits.done
}

const summed = (all: readonly Trashed[]): string =>
  `${counted(all.length, 'session')}, ${size(all.reduce((sum, { bytes }) => sum + bytes, 0))}`

/** All of them are found before the first is moved. */
async function putAway(cli: Cli, store: HomeStore, typed: readonly string[]): Promise<number> {
  const ids = new Set<string>()
  for (const word of typed) {
    const found = await store.find(word, cli.cwd)
    if (!found.ok) return refuse(cli, found.failure)
    ids.add(found.value.id)
  }
  for (const id of ids) {
    const done = await store.trash(id)
    if (!done.ok) return refuse(cli, done.failure)
    await cli.out(`${id}\n`)
  }
  cli.err(`Put away: ${counted(ids.size, 'session')}. rein sessions trash lists what is there.\n`)
  return exits.done
}

async function restored(cli: Cli, store: HomeStore, typed: readonly string[]): Promise<number> {
  const named = namedIn(await store.trashed(), typed)
  if (!named.ok) return refuse(cli, named.failure)
  for (const { name } of named.value) {
    const id = await store.restore(name)
    if (!id.ok) return refuse(cli, id.failure)
    await cli.out(`${id.value}\n`)
  }
  return exits.done
}

async function emptied(cli: Cli, store: HomeStore, args: Args): Promise<number> {
  const all = await store.trashed()
  const named = args.words.length === 0 ? { ok: true as const, value: all } : namedIn(all, args.words)
  if (!named.ok) return refuse(cli, named.failure)
  if (named.value.length === 0) {
    cli.err('The trash is empty.\n')
    return exits.done
  }
  if (!args.has('yes')) {
    if (!cli.terminal || cli.stdin.isTTY !== true) return refuse(cli, unasked(named.value))
    if (!(await agreedTo(cli, named.value))) {
      cli.err('Nothing was deleted.\n')
      return exits.done
    }
  }
  // Exactly what was said, and not what came to the trash meanwhile.
  const { removed, bytes } = await store.emptyTrash(named.value.map(({ name }) => name))
  await cli.out(`Deleted for good: ${counted(removed, 'session')}, ${size(bytes)}.\n`)
  return exits.done
}

const unasked = (all: readonly Trashed[]) =>
  usageFailure(
    `this deletes ${summed(all)} for good, and there is no terminal to ask on`,
    'Say that it is meant with --yes.',
  )

function agreedTo(cli: Cli, all: readonly Trashed[]): Promise<boolean> {
  for (const { name, bytes } of all.slice(0, 20)) cli.err(`  ${oneLine(name, 300)}  ${size(bytes)}\n`)
  if (all.length > 20) cli.err(`  … and ${counted(all.length - 20, 'more')}\n`)
  return agreed(cli, `Delete ${summed(all)} for good?`)
}

/** Names as the list gives them, or ids where only one in the trash has that id. Fails `USAGE`. */
function namedIn(all: readonly Trashed[], typed: readonly string[]): Result<readonly Trashed[]> {
  const found = new Set<Trashed>()
  for (const word of typed) {
    const exact = all.find(({ name }) => name === word)
    const same = exact ? [exact] : all.filter(({ id }) => id === word)
    const [one] = same
    if (!one)
      return usage(`nothing in the trash is named ${JSON.stringify(word)}`, '`rein sessions trash` has the names.')
    if (same.length > 1)
      return usage(
        `${same.length} in the trash have that id: ${same.map(({ name }) => name).join(', ')}`,
        'Give the name.',
      )
    found.add(one)
  }
  return { ok: true, value: [...found] }
}
