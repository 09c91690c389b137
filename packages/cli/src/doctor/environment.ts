import { execFile } from 'node:child_process'
import { accessSync, constants, type Stats, statfsSync, statSync } from 'node:fs'
import { arch, platform, release } from 'node:os'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import type { Cli } from '../cli.ts'
import { size } from '../view/amount.ts'
import type { Finding } from './finding.ts'

const run = promisify(execFile)

/** The least version of Node the program runs on. */
const LEAST_NODE = 20
/** Bytes left on the disk below which a session may not get to its end, and below which that is soon. */
const FULL = 100 * 1024 * 1024
const SOON = 1024 * 1024 * 1024
/** Before this day nobody ran this program: 2025-01-01. */
const EARLIEST = 1_735_689_600_000

const area = 'environment'

/** The machine as far as sessions depend on it. Looks only. */
export async function environment(cli: Cli, now: number): Promise<readonly Finding[]> {
  return [
    node(process.versions.node),
    { area, word: 'platform', level: 'fine', about: '', says: `${platform()} ${release()} on ${arch()}` },
    terminal(cli),
    clock(now),
    ...home(cli.home),
    disk(cli.home),
    await program('git', cli),
    await ripgrep(cli),
  ]
}

function node(version: string): Finding {
  const old = Number.parseInt(version, 10) < LEAST_NODE
  const says = `Node ${version}${old ? `, which is older than ${LEAST_NODE}` : ''}`
  const next = `Install Node ${LEAST_NODE} or newer.`
  return { area, word: 'node', level: old ? 'trouble' : 'fine', about: 'node', says, ...(old && { next }) }
}

function terminal({ terminal: there, color, env }: Cli): Finding {
  const says = there
    ? `a terminal (${env.TERM || 'TERM is not set'}), ${color ? 'with' : 'without'} colours`
    : 'no terminal'
  return { area, word: 'terminal', level: 'fine', about: '', says }
}

function clock(now: number): Finding {
  const wrong = now < EARLIEST
  const says = `the clock says ${new Date(now).toISOString()}${wrong ? ', which cannot be' : ''}`
  const next = 'Set the clock: times in logs come from it, though nothing is ordered by them.'
  return { area, word: 'clock', level: wrong ? 'trouble' : 'fine', about: '', says, ...(wrong && { next }) }
}

function home(path: string): readonly Finding[] {
  const stat = statOf(path)
  const about = path
  if (typeof stat === 'string')
    return [trouble('home-unreadable', about, [stat, 'Set REIN_HOME to a folder of your own.'])]
  if (!stat)
    return [{ area, word: 'home-missing', level: 'note', about, says: 'is made when the first session starts' }]
  if (!stat.isDirectory())
    return [trouble('home-no-folder', about, ['is no folder', 'Move it away, or set REIN_HOME to a folder.'])]
  const found: Finding[] = []
  if (platform() !== 'win32' && (stat.mode & 0o077) !== 0) {
    const mode = (stat.mode & 0o777).toString(8)
    found.push(trouble('home-open', about, [`can be entered by others (mode ${mode})`, `chmod 700 ${path}`]))
  }
  if (!isWritable(path))
    found.push(trouble('home-read-only', about, ['cannot be written to', 'Check who owns it, or set REIN_HOME.']))
  return found.length > 0 ? found : [{ area, word: 'home', level: 'fine', about, says: 'private and writable' }]
}

function disk(path: string): Finding {
  try {
    const { bavail, bsize } = statfsSync(nearest(path))
    const left = bavail * bsize
    const says = `${size(left)} left where sessions live`
    const next = 'Free space there: a log that cannot be written stops its session.'
    if (left < FULL) return { area, word: 'disk-full', level: 'trouble', about: path, says, next }
    if (left < SOON) return { area, word: 'disk-low', level: 'note', about: path, says, next }
    return { area, word: 'disk', level: 'fine', about: path, says }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return {
      area,
      word: 'disk-unknown',
      level: 'note',
      about: path,
      says: `the space left is not known: ${error.message}`,
    }
  }
}

/** The path, or the nearest folder above that is there. */
function nearest(path: string): string {
  const above = dirname(path)
  return above === path || typeof statOf(path) === 'object' ? path : nearest(above)
}

async function program(name: string, { env }: Cli): Promise<Finding> {
  const version = await versionOf(name, env)
  if (version !== undefined) return { area, word: name, level: 'fine', about: name, says: version }
  const says = 'is not on the PATH: what a project is under is not told to the model'
  return { area, word: `${name}-missing`, level: 'note', about: name, says, next: `Install ${name}.` }
}

/** The search tools bring their own; where that is missing, the one on the PATH serves. */
async function ripgrep({ env }: Cli): Promise<Finding> {
  const own = await import('@vscode/ripgrep').then(
    ({ rgPath }) => rgPath,
    () => undefined,
  )
  const version = (own && (await versionOf(own, env))) ?? (await versionOf('rg', env))
  if (version) return { area, word: 'rg', level: 'fine', about: 'rg', says: version }
  return { ...trouble('rg-missing', 'rg', ['is not there: the search tools fail', 'Install ripgrep.']) }
}

async function versionOf(program: string, env: Cli['env']): Promise<string | undefined> {
  try {
    const { stdout } = await run(program, ['--version'], { env: { ...env }, timeout: 5000 })
    return stdout.split('\n', 1)[0]?.trim() ?? ''
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

/** @returns undefined when it is not there, words when it cannot be looked at. */
function statOf(path: string): Stats | string | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (error instanceof Error && 'code' in error) return error.message
    throw error
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}

const trouble = (word: string, about: string, [says, next]: readonly [says: string, next: string]): Finding => {
  return { area, word, level: 'trouble', about, says, next }
}
