import { stat } from 'node:fs/promises'
import type { SessionStart } from '@rein/harness'
import type { Result, SessionEntry } from '@rein/session'
import type { Args } from './args.ts'
import type { Cli } from './cli.ts'
import { namedSession } from './named-session.ts'
import { usage } from './usage.ts'

/** Which session is meant, and the surroundings with its directory. */
export interface Target {
  readonly cli: Cli
  readonly start: SessionStart
  /** The session that goes on, as the store lists it. */
  readonly entry?: SessionEntry
}

/** A new session here, or the one that is named. Fails `SESSION_MISSING`, and `USAGE` for a directory that is not there. */
export async function targetOf(cli: Cli, args: Args): Promise<Result<Target>> {
  const typed = args.command === 'resume' ? (args.words[0] ?? 'last') : args.value('resume')
  if (typed === undefined) {
    return (await isFolder(cli.cwd)) ? { ok: true, value: { cli, start: { kind: 'new' } } } : noFolder(cli.cwd)
  }
  return resumeTarget(cli, await namedSession(cli, args, typed), args.has('cwd'))
}

/** @param fixed whether the directory was named: then the session must be of it. */
export async function resumeTarget(cli: Cli, found: Result<SessionEntry>, fixed = false): Promise<Result<Target>> {
  if (!found.ok) return found
  const { id, cwd } = found.value
  const at = cwd ?? cli.cwd
  if (fixed && at !== cli.cwd) return usage(`session ${id} works in ${at}, not in ${cli.cwd}; leave --cwd out`)
  if (!(await isFolder(at))) return noFolder(at)
  return { ok: true, value: { cli: { ...cli, cwd: at }, start: { kind: 'resume', id }, entry: found.value } }
}

const noFolder = (path: string): Result<never> => usage(`there is no directory ${path}`)

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}
