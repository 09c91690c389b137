import {
  type Agent,
  Commands,
  modes,
  nearest,
  type SlashCommand as PluginCommand,
  Providers,
  recordMode,
  StorePort,
} from '@rein/harness'
import { type Failure, foreseen, type Result } from '@rein/session'
import type { Cli } from '../cli.ts'
import { storeOf } from '../commands/stored-log.ts'
import { modelInForce, modelNamed } from '../model.ts'
import { sayWithSlash } from '../slash-word.ts'
import { type Hosted, openSession, type StartOptions } from '../start.ts'
import { resumeTarget } from '../target.ts'
import { safeText } from '../view/safe-text.ts'
import { exportTo } from './exporting.ts'
import { rewindTo, showTree, wrong } from './going-back.ts'
import { showOthers } from './other-sessions.ts'
import type { Screen } from './screen.ts'
import type { Terminal } from './terminal.ts'

/** What a slash command may act on. */
export interface SlashContext {
  readonly cli: Cli
  readonly host: Hosted
  /** What sessions are opened with. */
  readonly options: StartOptions
  readonly agent: Agent
  readonly terminal: Terminal
  readonly screen: Screen
}

/** What follows from it. */
export type Followup =
  | { readonly kind: 'none' }
  | { readonly kind: 'quit' }
  /** Another session takes the place of this one. */
  | { readonly kind: 'switch'; readonly agent: Agent }

interface SlashCommand {
  readonly takes: string
  readonly help: string
  /** It may be given while a turn runs. */
  readonly anytime?: true
  /** It touches the session, so the log says that it was given; `true`: only with an argument. */
  readonly logged?: true | 'always'
  readonly run: (context: SlashContext, argument: string) => Promise<Result<Followup>>
}

const none: Result<Followup> = { ok: true, value: { kind: 'none' } }
const nothingMore = (done: Result<unknown>): Result<Followup> => (done.ok ? none : done)

const commands: { readonly [name: string]: SlashCommand } = {
  help: {
    takes: '',
    help: 'these commands',
    anytime: true,
    run: async ({ terminal, host }) => {
      for (const [name, { takes, help }] of [...Object.entries(commands), ...pluginCommands(host)]) {
        terminal.line(`  ${`/${name} ${takes}`.padEnd(24)}  ${help}`)
      }
      terminal.line('  While a turn runs, what you type is said to it before its next step. Ctrl-C stops the turn.')
      terminal.line('  Pasted lines are one message; a line that ends in \\ goes on in the next one.')
      return none
    },
  },
  new: {
    takes: '',
    help: 'a new session, same model and mode',
    run: async (context) => open(context, { kind: 'new' }),
  },
  resume: {
    takes: '[id]',
    help: 'continue another session; without an id, which there are',
    run: async (context, id) => (id === '' ? showOthers(context).then(() => none) : resumed(context, id)),
  },
  model: {
    takes: '[provider/model]',
    help: 'which model answers, from the next message on',
    logged: true,
    run: changeModel,
  },
  mode: {
    takes: '[mode]',
    help: `what may be done without asking: ${modes.join(', ')}`,
    logged: true,
    run: async ({ agent, host, terminal }, typed) => {
      const mode = modes.find((known) => known === typed)
      if (typed === '') terminal.line(`mode ${agent.mode}; there are ${modes.join(', ')}`)
      else if (mode) recordMode(agent.session, mode, host.host)
      else return wrong(`there is no mode ${typed}`, meant(typed, modes))
      return none
    },
  },
  cost: {
    takes: '',
    help: 'tokens and cost, of the last turn and of the session',
    anytime: true,
    run: async ({ screen }) => {
      screen.spent()
      return none
    },
  },
  rewind: {
    takes: '[n|@seq]',
    help: 'undo turn n and what follows, or what came after event seq; without, the turns',
    logged: true,
    run: async (context, typed) => nothingMore(await rewindTo(context, typed)),
  },
  fork: {
    takes: '[@seq]',
    help: 'go on in a new session made from this one, up to event seq',
    run: async (context, typed) => {
      // A bare number is a turn to `/rewind`: here it would be an event near the beginning.
      if (!/^(@\d{1,15})?$/.test(typed)) return wrong(forkTakes(typed))
      const { id, log } = context.agent.session
      await log.synced()
      return open(context, { kind: 'fork', id, ...(typed !== '' && { at: Number(typed.slice(1)) }) })
    },
  },
  tree: {
    takes: '',
    help: 'the turns of this session, undone ones marked, and where it was forked from',
    anytime: true,
    run: async (context) => {
      showTree(context)
      return none
    },
  },
  export: {
    takes: '[FILE]',
    help: 'a copy to share, with secrets removed: FILE.html, FILE.json or FILE.zip; without, a page',
    anytime: true,
    run: async (context, typed) => nothingMore(await exportTo(context, typed)),
  },
  quit: { takes: '', help: 'end rein; the session can be resumed', anytime: true, run: async () => quit },
}

/** Commands that plugins add, for every client; a name of this client's own comes first. */
const pluginCommands = ({ host }: Hosted): [string, SlashCommand][] =>
  (host.get(Commands)?.entries() ?? []).map(([name, command]) => [name, ofPlugin(command)])

const ofPlugin = ({ takes, help, run }: PluginCommand): SlashCommand => ({
  takes,
  help,
  logged: 'always',
  run: async ({ agent, terminal }, argument) => {
    const done = await run(argument, agent)
    if (done.ok && done.value !== '') terminal.line(safeText(done.value))
    return nothingMore(done)
  },
})

const quit: Result<Followup> = { ok: true, value: { kind: 'quit' } }

/** Do what a line that begins with a slash says. Fails `USAGE` with the nearest name. */
export async function slash(context: SlashContext, line: string): Promise<Result<Followup>> {
  const [, name = '', argument = ''] = /^\/(\S*)\s*(.*)$/s.exec(line.trim()) ?? []
  const known = new Map<string, SlashCommand>([...pluginCommands(context.host), ...Object.entries(commands)])
  const command = known.get(name)
  if (!command)
    return wrong(`there is no command /${name}`, `${meant(name, [...known.keys()], '/')} Else, ${sayWithSlash}`)
  const { agent } = context
  if (agent.phase !== 'idle' && command.anytime !== true) {
    return wrong(`/${name} waits until no turn runs`, 'Stop the turn with Ctrl-C first.')
  }
  const takes = argument.trim()
  if (command.takes === '' && takes !== '') return wrong(`/${name} takes nothing behind it`)
  // Asking what is in force touches nothing; what a plugin's command does is not known here.
  if (command.logged !== 'always' && (command.logged !== true || takes === '')) return command.run(context, takes)
  return agent.maintain(() => logged(context, { name, takes, run: command.run }))
}

async function logged(
  context: SlashContext,
  { name, takes, run }: { readonly name: string; readonly takes: string; readonly run: SlashCommand['run'] },
): Promise<Result<Followup>> {
  const { log } = context.agent.session
  const id = context.host.ports.id('cmd')
  log.append('command/run', { id, name, arguments: takes, by: 'person' })
  const done = await run(context, takes)
  log.append('command/done', done.ok ? { id, outcome: 'done' } : { id, outcome: 'failed', error: done.failure })
  await log.synced()
  return done
}

async function changeModel(
  { agent, cli, host, terminal, screen }: SlashContext,
  typed: string,
): Promise<Result<Followup>> {
  if (typed === '') {
    const names = [...(host.host.get(Providers)?.entries() ?? [])].map(([name]) => name)
    terminal.line(`model ${screen.model()}; providers here: ${names.join(', ')}`)
    return none
  }
  const choice = modelNamed(typed)
  if (!choice.ok) return choice
  const usable = await modelInForce(cli, host, choice.value)
  if (!usable.ok) return usable
  agent.model = choice.value
  terminal.line(`model ${screen.model()}`)
  return none
}

type Start = NonNullable<StartOptions['start']>

async function open({ cli, host, options, agent }: SlashContext, start: Start): Promise<Result<Followup>> {
  const own = start.kind === 'new' ? { model: agent.model, mode: agent.mode } : { otherwise: agent.model }
  const { model: _model, mode: _mode, ...rest } = options
  try {
    const opened = await openSession(cli, host, { ...rest, ...own, start })
    return opened.ok ? { ok: true, value: { kind: 'switch', agent: opened.value } } : opened
  } catch (error) {
    return foreseen(error)
  }
}

async function resumed(context: SlashContext, typed: string): Promise<Result<Followup>> {
  const { cli, host } = context
  const found = await (host.host.get(StorePort) ?? storeOf(cli)).find(typed, cli.cwd)
  const target = await resumeTarget(cli, found)
  if (!target.ok) return target
  const { start } = target.value
  if (start.kind === 'resume' && start.id === context.agent.session.id) return wrong('this is that session')
  return open(context, start)
}

const forkTakes = (typed: string): string =>
  `/fork takes @ and the number of an event, as in /fork @120, not ${typed}; /tree has the turns with their places`

const meant = (name: string, known: readonly string[], lead = ''): string => {
  const near = nearest(name, known)
  return near === undefined ? `There are ${known.map((one) => lead + one).join(', ')}.` : `Did you mean ${lead}${near}?`
}

/** A failure as a line of a session. */
export const told = ({ message, next }: Failure): string =>
  next === undefined ? message : `${message}${/[.?!]$/.test(message) ? '' : '.'} ${next}`
