import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { FailureError } from '@rein/session'
import { type Args, type Problem, parseCommandLine } from './args.ts'
import type { Cli, Command } from './cli.ts'
import { exitOfFailure, exits, failureText } from './exit.ts'
import { usageFailure } from './usage.ts'
import { ReaderGone, writer } from './writer.ts'

/** Each command is loaded when it is called, and nothing of the others is. */
const commands: { readonly [name: string]: () => Promise<Command> } = {
  '': () => import('./session.ts').then(({ session }) => session),
  resume: () => import('./session.ts').then(({ session }) => session),
  sessions: () => import('./commands/sessions.ts').then(({ sessions }) => sessions),
  show: () => import('./commands/show.ts').then(({ show }) => show),
  verify: () => import('./commands/verify.ts').then(({ verify }) => verify),
  fork: () => import('./commands/fork.ts').then(({ fork }) => fork),
  rewind: () => import('./commands/rewind.ts').then(({ rewind }) => rewind),
  doctor: () => import('./commands/doctor.ts').then(({ doctor }) => doctor),
  export: () => import('./commands/export.ts').then(({ exportCommand }) => exportCommand),
  redact: () => import('./commands/redact.ts').then(({ redact }) => redact),
  replay: () => import('./commands/replay.ts').then(({ replay }) => replay),
  config: () => import('./commands/config.ts').then(({ config }) => config),
  demo: () => import('./commands/demo.ts').then(({ demo }) => demo),
}

/** How long the program may still live after its work is done, in milliseconds: a plugin may have left something open. */
const lingerMs = 2_000

/**
 * The program.
 * @param argv the words after `rein`.
 * @returns the exit code.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const parsed = parseCommandLine(argv)
  const cli = surroundings(parsed.ok ? parsed.args : undefined)
  try {
    return parsed.ok ? await run(cli, parsed.args) : await refused(cli, parsed.problem, argv)
  } catch (error) {
    // Nobody reads the output any more: there is nobody to tell.
    if (error instanceof ReaderGone) return exits.error
    if (error instanceof FailureError) return told(cli, error)
    throw error
  } finally {
    setTimeout(() => process.exit(), lingerMs).unref()
  }
}

async function run(cli: Cli, args: Args): Promise<number> {
  if (args.has('version')) {
    await cli.out(`${cli.version}\n`)
    return exits.done
  }
  if (args.has('help')) {
    const { help } = await import('./help.ts')
    await cli.out(help(args.command))
    return exits.done
  }
  const [module = ''] = args.command.split(' ', 1)
  const command = await commands[module]?.()
  if (!command) throw new Error(`the command ${JSON.stringify(args.command)} is in the table and has no module`)
  return command(cli, args)
}

/** Trouble of the surroundings that reached the end, such as a log that could not be closed, is no bug. */
function told(cli: Cli, { failure }: FailureError): number {
  cli.err(failureText(failure))
  return exitOfFailure(failure)
}

async function refused(cli: Cli, problem: Problem, argv: readonly string[]): Promise<number> {
  const { failed } = await import('./failed.ts')
  const { problemText } = await import('./problem-text.ts')
  return failed(cli, usageFailure(problemText(problem)), wantsEvents(argv))
}

function surroundings(args: Args | undefined): Cli {
  const { env, stdin, stdout, stderr } = process
  const cwd = args?.value('cwd')
  const err = quietly(stderr)
  const here = directory()
  const colors = env.NO_COLOR === undefined || env.NO_COLOR === ''
  return {
    env,
    cwd: resolve(here, cwd ?? '.'),
    home: resolve(here, env.REIN_HOME || `${homedir()}/.rein`),
    version: versionOf(),
    stdin,
    out: writer(stdout, err),
    err,
    terminal: stdout.isTTY === true,
    color: stdout.isTTY === true && colors && env.TERM !== 'dumb' && args?.has('no-color') !== true,
  }
}

/** Where the person is. A directory that was removed has no path any more: its last name is the one to complain of. */
function directory(): string {
  try {
    return process.cwd()
  } catch {
    return process.env.PWD ?? '/'
  }
}

/** People's side: when nobody reads it any more, the work goes on. */
function quietly(stream: NodeJS.WriteStream): (text: string) => void {
  let gone = false
  stream.on('error', () => {
    gone = true
  })
  return (text) => {
    if (!gone) stream.write(text)
  }
}

function versionOf(): string {
  const { version }: { version: string } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return version
}

/** Whether a script waits for a result line, as far as a command line that could not be read tells. */
const wantsEvents = (argv: readonly string[]): boolean =>
  argv.includes('--json') && argv.some((word) => /^(-p|--print)/.test(word))
