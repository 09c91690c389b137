import { findProject, recordConsent, type Settings } from '@rein/harness'
import type { Failure, Result } from '@rein/session'
import type { Args } from './args.ts'
import type { Cli, Command } from './cli.ts'
import { storeOf } from './commands/stored-log.ts'
import { exits } from './exit.ts'
import { failed } from './failed.ts'
import { presetOf } from './headless.ts'
import { Conversation, type Happening } from './interactive/conversation.ts'
import { firstScreen } from './interactive/first-screen.ts'
import { leave } from './interactive/leave.ts'
import { Mailbox } from './interactive/mailbox.ts'
import { Terminal } from './interactive/terminal.ts'
import { loadFor, type SessionSettings, sessionSettings } from './settings.ts'
import { openSession, type StartOptions, startHost } from './start.ts'
import { type Target, targetOf } from './target.ts'
import { safeText } from './view/safe-text.ts'

/** How long a session may take to close after its end was asked for, in milliseconds. */
const closingMs = 1_000

/** `rein` and `rein resume`: lines from a person, turn by turn. Without a terminal, lines until their end. */
export const interactive: Command = async (cli, args) => {
  const target = await targetOf(cli, args)
  if (!target.ok) return failed(cli, target.failure)
  const mailbox = new Mailbox<Happening>()
  using _signals = signalsTo(mailbox)
  using terminal = new Terminal(target.value.cli, (heard) => mailbox.put(heard))
  await showEnd(target.value, terminal)
  const settled = await settledWith(target.value.cli, args, { terminal, mailbox })
  if (!settled.ok) return failed(cli, settled.failure)
  if (settled.value === undefined) return exits.interrupted
  return await converse(target.value, { args, settled: settled.value, terminal, mailbox })
}

/** Where a session stands that is about to be opened, which takes a while for a long one. */
async function showEnd({ cli, entry }: Target, terminal: Terminal): Promise<void> {
  if (entry?.state !== 'free') return
  for (const line of await firstScreen(cli, storeOf(cli), entry)) terminal.line(line)
}

interface Surroundings {
  readonly terminal: Terminal
  readonly mailbox: Mailbox<Happening>
}

async function converse(
  { cli, start }: Target,
  { args, settled, terminal, mailbox }: Surroundings & { readonly args: Args; readonly settled: SessionSettings },
): Promise<number> {
  const { settings, model, mode } = settled
  const options: StartOptions = {
    settings,
    start,
    preset: presetOf(args, 'standard'),
    person: terminal.person && args.value('approve') !== 'never',
    ...(model && { model }),
    ...(mode && { mode }),
  }
  const hosted = await startHost(cli, options)
  if (!hosted.ok) return failed(cli, hosted.failure)
  const host = hosted.value
  const agent = await openSession(cli, host, options)
  if (!agent.ok) {
    await host[Symbol.asyncDispose]()
    return failed(cli, busyHint(agent.failure, start))
  }
  const conversation = new Conversation({ cli, host, terminal, mailbox, start: options }, agent.value)
  const exit = await conversation.run()
  conversation.detach()
  const closed = leave(host, conversation.agent).then(() => host[Symbol.asyncDispose]())
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, closingMs).unref())])
  return exit
}

const busyHint = (failure: Failure, start: Target['start']): Failure =>
  failure.code === 'SESSION_BUSY' && start.kind !== 'new'
    ? { ...failure, next: `End that process first, or give it a task: rein resume ${start.id} -p "task".` }
    : failure

/** Without a terminal Ctrl-C comes as a signal; with one it is read as a key. */
function signalsTo(mailbox: Mailbox<Happening>): Disposable {
  const interrupt = (): void => mailbox.put({ kind: 'interrupt', typed: '' })
  const terminate = (): void => mailbox.put({ kind: 'terminated' })
  process.on('SIGINT', interrupt).on('SIGTERM', terminate).on('SIGHUP', terminate)
  return {
    [Symbol.dispose]: () => {
      process.off('SIGINT', interrupt).off('SIGTERM', terminate).off('SIGHUP', terminate)
    },
  }
}

/** The settings, consent asked for where somebody is there to give it. @returns undefined when asking was broken off. */
async function settledWith(
  cli: Cli,
  args: Args,
  { terminal, mailbox }: Surroundings,
): Promise<Result<SessionSettings | undefined>> {
  const loaded = await loadFor(cli, args)
  if (!loaded.ok) return loaded
  const found = loaded.value
  if (found.kind === 'bad') return { ok: false, failure: found.failure }
  if (found.kind === 'ready') return settledAs(args, found.effective.settings)
  if (!terminal.person) return { ok: false, failure: found.failure }
  for (const { file, line, hash, items } of found.wanted) {
    terminal.line(`${safeText(file)}:${line} sets what needs your consent (${hash}):`)
    for (const item of items) terminal.line(`  ${safeText(item)}`)
  }
  terminal.prompt('Agree, and remember it for this content? [y/N] ')
  const heard = await mailbox.take()
  if (heard.kind !== 'line') return { ok: true, value: undefined }
  if (/^y(es)?$/i.test(heard.text.trim())) {
    const project = (await findProject(cli.cwd, cli.home)) ?? cli.cwd
    for (const wanted of found.wanted) {
      const recorded = await recordConsent(cli.home, wanted, { project, now: Date.now() })
      if (!recorded.ok) return recorded
    }
  } else terminal.line('Not agreed: those settings are left out this time.')
  return withoutAsking(cli, args)
}

/** After the question: whatever is still not agreed to is left out. */
async function withoutAsking(cli: Cli, args: Args): Promise<Result<SessionSettings>> {
  const again = await loadFor(cli, args, 'withhold')
  if (!again.ok) return again
  if (again.value.kind !== 'ready') return { ok: false, failure: again.value.failure }
  return settledAs(args, again.value.effective.settings)
}

const settledAs = (args: Args, settings: Settings): Result<SessionSettings> => ({
  ok: true,
  value: sessionSettings(args, settings),
})
