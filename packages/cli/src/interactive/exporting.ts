import { resolve } from 'node:path'
import type { Agent } from '@rein/harness'
import type { Result } from '@rein/session'
import { parseCommandLine } from '../args.ts'
import type { Cli } from '../cli.ts'
import { usage } from '../usage.ts'
import type { Terminal } from './terminal.ts'

interface Surroundings {
  readonly cli: Cli
  readonly agent: Agent
  readonly terminal: Terminal
}

/**
 * `/export [FILE]`: what `rein export` makes, of the session as it stands; a page of its name unless FILE says otherwise.
 * Fails `USAGE` when the name of the file does not say what is to be made; what else goes wrong is told as it is there.
 */
export async function exportTo({ cli, agent, terminal }: Surroundings, typed: string): Promise<Result<void>> {
  const [, name, kind = 'html'] = /^(.*\.)?(html|json|zip)$/s.exec(typed) ?? []
  if (typed !== '' && typed !== kind && name === undefined)
    return usage(`/export takes a file that ends in .html, .json or .zip, not ${typed}`, 'See /help.')
  const { id, log } = agent.session
  await log.written()
  const target = name === undefined ? [] : ['--output', resolve(cli.cwd, typed)]
  const line = parseCommandLine(['export', id, `--${kind}`, ...target])
  if (!line.ok) throw new Error(`not a command line: ${JSON.stringify(line.problem)}`)
  const { exportCommand } = await import('../commands/export.ts')
  await exportCommand({ ...cli, err: (text) => terminal.line(text.trimEnd()) }, line.args)
  return { ok: true, value: undefined }
}
