import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { replaySession } from '@rein/harness'
import { cwdOf, type SessionEvent } from '@rein/session'
import { agreed } from '../agreed.ts'
import type { Args } from '../args.ts'
import type { Cli, Command } from '../cli.ts'
import { exits } from '../exit.ts'
import { settledFor } from '../settings.ts'
import { longestWaitMs, noLimit } from '../start.ts'
import { paint } from '../view/paint.ts'
import { replayText } from '../view/replay-text.ts'
import { oneLine, safeText, shownJson } from '../view/safe-text.ts'
import { namedLog, refuse, storeOf } from './stored-log.ts'

/**
 * `rein replay <id>`: drive today's prompt, loop and tool pipeline over a recorded session, and say where they first
 * do something else. Model, person and, without `--tools live`, tools answer from the log. Nothing is written to the
 * session or its directory.
 */
export const replay: Command = async (cli, args) => {
  const store = storeOf(cli)
  const stored = await namedLog(cli, store, args)
  if (!stored.ok) return refuse(cli, stored.failure)
  const { id, log, blob } = stored.value
  const { home, env } = cli
  const settings = await settledFor(there(cli, cwdOf(log.events)), args)
  if (!settings.ok) return refuse(cli, settings.failure)
  const live = args.value('tools') === 'live'
  const seen = cli.terminal && cli.stdin.isTTY === true
  if (live && seen && !(await wanted(cli, log.events))) return exits.done
  const replayed = await replaySession({
    id,
    log,
    blob,
    store,
    world: { home, userHome: homedir(), env, settings: settings.value.settings },
    preset: presetIn(args),
    steps: settings.value.settings.budgets.steps ?? noLimit,
    maxWaitMs: longestWaitMs,
    tools: live ? 'live' : 'recorded',
    trusted: seen,
  })
  if (!replayed.ok) return refuse(cli, replayed.failure)
  const { value } = replayed
  await cli.out(args.has('json') ? `${shownJson(cli, value)}\n` : replayText(value, paint(cli.color)))
  const isSame = !value.divergence && (value.live?.differences ?? []).length === 0
  return isSame ? exits.done : exits.error
}

/**
 * What runs for real is what the log holds, under the mode and with the answers the log holds: of a log somebody sent,
 * all that is its sender's. A person sees every call before; without one, only today's settings give leave.
 */
async function wanted(cli: Cli, events: readonly SessionEvent[]): Promise<boolean> {
  const calls = events.flatMap(({ type, data }) =>
    type === 'assistant/message' ? data.content.filter((block) => block.type === 'call') : [],
  )
  const lines = new Set(calls.map((call) => `  ${oneLine(call.name, 40)}  ${safeText(call.arguments)}`))
  if (lines.size === 0) return true
  cli.err(`These run for real, as the recording was allowed to:\n${[...lines].join('\n')}\n`)
  return agreed(cli, 'Run them?')
}

/** Settings are those of the session's directory, where it is still there. */
const there = (cli: Cli, cwd: string): Cli => (cwd !== '' && existsSync(cwd) ? { ...cli, cwd } : cli)

function presetIn(args: Args): 'standard' | 'headless' | 'minimal' {
  const named = args.value('preset')
  return named === 'minimal' || named === 'headless' ? named : 'standard'
}
