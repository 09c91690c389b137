import { delimiter, dirname } from 'node:path'
import type { Settings } from '@rein/harness'
import type { Failure, Result } from '@rein/session'
import type { Args } from '../args.ts'
import type { Cli, Command } from '../cli.ts'
import { task } from '../demo/project.ts'
import { demoModel, demoRows } from '../demo/rows.ts'
import { scratchProject } from '../demo/scratch.ts'
import { seededPorts } from '../ports.ts'
import { runTask } from '../run.ts'
import { settledFor } from '../settings.ts'
import { type Running, startAgent } from '../start.ts'
import { usageFailure } from '../usage.ts'
import { paint } from '../view/paint.ts'
import { refuse, storeOf } from './stored-log.ts'

/** `rein demo`: offline and without a key, a scripted model fixes a failing test; everything else is the real thing. */
export const demo: Command = async (cli, args) => {
  const seed = seedIn(args)
  if (typeof seed === 'object') return refuse(cli, seed)
  const say = (text: string): void => {
    if (!args.has('quiet')) cli.err(`${text}\n`)
  }
  const cleared = seed === undefined ? undefined : await clearEarlier(cli, seed, say)
  if (cleared && !cleared.ok) return refuse(cli, cleared.failure)
  const folder = await scratchProject(cli.env, seed)
  if (!folder.ok) return refuse(cli, folder.failure)
  const { bold, cyan, dim } = paint(cli.color)
  say(`${bold('rein demo')}: a scripted model, offline and without a key, fixes a failing test.`)
  say(dim(`It has full access, without a sandbox, and works in a scratch project of its own: ${folder.value}`))
  say(`\n${cyan('>')} ${bold(task)}`)
  // Nothing of the person's settings: the demo is the same for everybody, but for what the command line patches.
  const settled = await settledFor({ ...cli, home: folder.value, cwd: folder.value, env: {} }, args)
  if (!settled.ok) return refuse(cli, settled.failure)
  const started = await start(cli, { folder: folder.value, seed, settings: settled.value.settings })
  if (!started.ok) return refuse(cli, started.failure)
  const { id } = started.value.agent.session
  const exit = await run(cli, started.value, args)
  say(`\nsession ${bold(id)}`)
  const name = await nameOf(cli, id)
  say(dim(`rein verify ${name} proves every request from the log; rein show ${name} is what happened`))
  say(dim('the scratch project named above is yours to look at, and may be deleted'))
  return exit
}

function seedIn(args: Args): number | undefined | Failure {
  const typed = args.value('seed')
  if (typed === undefined) return undefined
  if (/^\d{1,15}$/.test(typed)) return Number(typed)
  const message = `--seed ${JSON.stringify(typed)} is no whole number of at most 15 digits.`
  return usageFailure(message, 'Such as --seed 1.')
}

/** One seed is one session id: what an earlier run wrote goes to the trash. */
async function clearEarlier(cli: Cli, seed: number, say: (text: string) => void): Promise<Result<void>> {
  const store = storeOf(cli)
  const id = seededPorts(seed).id('s')
  const earlier = await store.find(id, cli.cwd)
  if (!earlier.ok || earlier.value.id !== id) return { ok: true, value: undefined }
  const gone = await store.trash(id)
  if (gone.ok) say(`The session ${id} of an earlier run with this seed was put in the trash.`)
  return gone
}

async function start(
  cli: Cli,
  {
    folder,
    seed,
    settings,
  }: { readonly folder: string; readonly seed: number | undefined; readonly settings: Settings },
): Promise<Result<Running>> {
  const { lockstepRow } = await import('../demo/lockstep.ts')
  const rows = seed === undefined ? demoRows() : [...demoRows(), lockstepRow]
  // The Node that runs this, where PATH has none: the scratch project's test needs one.
  const path = [cli.env['PATH'] ?? '', dirname(process.execPath)].filter((part) => part !== '').join(delimiter)
  return startAgent(
    { ...cli, env: { ...cli.env, PATH: path } },
    {
      preset: 'headless',
      settings,
      rows,
      model: demoModel,
      cwd: folder,
      mode: 'full-access',
      person: false,
      ...(seed !== undefined && { ports: seededPorts(seed), chance: () => 0 }),
    },
  )
}

async function run(cli: Cli, running: Running, args: Args): Promise<number> {
  try {
    return await runTask(cli, running, { text: task, json: args.has('json'), quiet: args.has('quiet') })
  } finally {
    await running.close()
  }
}

/** `last` where that means this session, from where the person is. */
async function nameOf(cli: Cli, id: string): Promise<string> {
  const last = await storeOf(cli).find('last', cli.cwd)
  return last.ok && last.value.id === id ? 'last' : id
}
