import type { PresetName, SessionStart } from '@rein/harness'
import type { Failure } from '@rein/session'
import type { Args } from './args.ts'
import type { Cli, Command } from './cli.ts'
import { failed } from './failed.ts'
import { runTask, type Task } from './run.ts'
import { settledFor } from './settings.ts'
import { type Hosted, longestWaitMs, openSession, running, type StartOptions, startHost } from './start.ts'
import { targetOf } from './target.ts'
import { taskContent } from './task-text.ts'
import { usageFailure } from './usage.ts'
import { safeText } from './view/safe-text.ts'

/** `rein -p`: one task, nobody there. Everything that can be wrong is found out before anything runs. */
export const headless: Command = async (cli, args) => {
  const json = args.has('json')
  const refuse = (failure: Failure): Promise<number> => failed(cli, failure, json)
  const person = args.value('approve') === 'ask'
  if (person && !cli.stdin.isTTY) return refuse(usageFailure('--approve ask needs a terminal to ask on'))
  const files = args.command === 'resume' ? args.words.slice(1) : args.words
  const target = await targetOf(cli, args)
  if (!target.ok) return refuse(target.failure)
  const content = await taskContent(cli, args.value('print') ?? '', files)
  if (!content.ok) return refuse(content.failure)
  const at = target.value.cli
  // `last` may be of another directory, and what runs there should surprise nobody.
  if (at.cwd !== cli.cwd && !args.has('quiet')) cli.err(`rein: the session works in ${safeText(at.cwd)}\n`)
  const settled = await settledFor(at, args)
  if (!settled.ok) return refuse(settled.failure)
  const task: Task = { text: content.value, ...outputOf(args) }
  const { settings, model, mode } = settled.value
  const options: StartOptions = {
    settings,
    start: target.value.start,
    preset: presetOf(args, 'headless'),
    person,
    quiet: task.quiet,
    ...(model && { model }),
    ...(mode && { mode }),
    ...(task.timeoutMs !== undefined && { maxWaitMs: Math.min(task.timeoutMs, longestWaitMs) }),
  }
  const hosted = await startHost(at, options)
  if (!hosted.ok) return refuse(hosted.failure)
  await using host = hosted.value
  return await open(at, { args, task, options, host, refuse })
}

interface Opening {
  readonly args: Args
  readonly task: Task
  readonly options: StartOptions
  readonly host: Hosted
  readonly refuse: (failure: Failure) => Promise<number>
}

async function open(cli: Cli, { args, task, options, host, refuse }: Opening): Promise<number> {
  const agent = await openSession(cli, host, options)
  if (agent.ok) return run(cli, { host, agent: agent.value, task, person: options.person })
  const id = heldId(options.start, agent.failure)
  if (id === undefined) return refuse(agent.failure)
  const { follow } = await import('./follow.ts')
  const followed = await follow(cli, { host, id, args, task, takeOver: () => openSession(cli, host, options) })
  switch (followed.kind) {
    case 'ended':
      return followed.exit
    case 'refused':
      return refuse(followed.failure)
    case 'taken':
      return run(cli, {
        host,
        agent: followed.agent,
        task: { ...task, item: followed.item, from: followed.from },
        person: options.person,
      })
  }
}

async function run(
  cli: Cli,
  {
    host,
    agent,
    task,
    person,
  }: Pick<Opening, 'host' | 'task'> & {
    readonly agent: Parameters<typeof running>[1]
    readonly person: boolean
  },
): Promise<number> {
  using _asking = person ? await asking(cli, host, agent) : undefined
  try {
    return await runTask(cli, running(host, agent), task)
  } finally {
    await agent.close()
  }
}

async function asking(cli: Cli, { approvals }: Hosted, agent: Parameters<typeof running>[1]): Promise<Disposable> {
  const { askOnTerminal, settle } = await import('./asking.ts')
  return askOnTerminal(cli, approvals, (answered) => settle(approvals, agent, answered))
}

/** The session another process holds, when that is why it could not be opened. */
const heldId = (start: SessionStart | undefined, { code }: Failure): string | undefined =>
  start?.kind === 'resume' && code === 'SESSION_BUSY' ? start.id : undefined

/** @param usual when --preset is not given. */
export function presetOf(args: Args, usual: PresetName): PresetName {
  const preset = args.value('preset')
  return preset === 'standard' || preset === 'headless' || preset === 'minimal' ? preset : usual
}

function outputOf(args: Args): Omit<Task, 'text'> {
  const seconds = args.value('timeout')
  return {
    json: args.has('json'),
    quiet: args.has('quiet'),
    verbose: args.has('verbose'),
    ...(seconds !== undefined && { timeoutMs: Number(seconds) * 1000 }),
  }
}
