import { type ChildProcess, spawn } from 'node:child_process'
import { stat } from 'node:fs/promises'
import type { Result } from '@rein/session'
import { Capture, type Output, type OverflowFile } from './capture.ts'
import type { LivingTrees } from './living.ts'
import { Pipes } from './pipes.ts'
import type { ProcessEnd, SpawnSpec } from './spawn.ts'
import { MARK, survivorsOf, type Tree } from './tree.ts'

export interface RunOptions {
  /** Where the process's tree is kept until nothing of it is alive. */
  readonly living: LivingTrees
  /** Unlike that of any other process, also after a restart: finds what left the group. */
  readonly mark: string
  /** Milliseconds until the whole tree is ended. */
  readonly timeoutMs: number
  /** Aborting ends the whole tree. */
  readonly signal: AbortSignal
  /** Milliseconds, monotonic. */
  readonly now: () => number
  /** Milliseconds between SIGTERM and SIGKILL. Default 3000. */
  readonly graceMs?: number
  readonly overflow?: () => Promise<OverflowFile>
  /** Called at most ten times a second with the end of the output so far, up to 4,000 characters. */
  readonly onOutput?: (recent: string) => void
}

/** How long the exit of a killed process is waited for, in milliseconds. */
const UNKILLABLE_MS = 1000

export interface Ran extends ProcessEnd {
  readonly output: Output
}

/**
 * Run one process in a group of its own, with an empty stdin, until its root exits, its time is up or `signal` aborts.
 * A child that keeps the pipe open delays nothing: it is named as a survivor and stays known to `living`. Fails
 * `NOT_FOUND` when the directory or the program is missing, `INVALID_ARGUMENTS` when it is too long, `TOOL_FAILED` when the system cannot start a process.
 */
export async function runProcess(spec: SpawnSpec, options: RunOptions): Promise<Result<Ran>> {
  const started = options.now()
  const child = start(spec, options.mark)
  if (child instanceof Error) return notStarted(spec, child)
  const exited = exitOf(child)
  const refused = await Promise.race([refusalOf(child), exited.then(() => undefined)])
  const root = child.pid
  if (refused !== undefined || root === undefined) return notStarted(spec, refused)
  const tree = { root, mark: options.mark }
  options.living.add(tree)
  const capture = new Capture(options.overflow)
  const pipes = new Pipes(child, capture, options)
  const stopped = await untilOver(exited, tree, options)
  const { exitCode, signal } = await (stopped === undefined ? exited : Promise.race([exited, givenUp()]))
  await pipes.drain()
  const survivors = survivorsOf(tree)
  if (survivors.length === 0) options.living.drop(tree)
  const facts = { exitCode, signal, timedOut: stopped === 'timeout', cancelled: stopped === 'cancel', survivors }
  return { ok: true, value: { ...facts, durationMs: options.now() - started, output: await capture.end() } }
}

/** Node emits some refusals of the system and throws others, such as a command line that is too long. */
function start(spec: SpawnSpec, mark: string): ChildProcess | Error {
  try {
    return spawn(spec.file, spec.args, {
      cwd: spec.cwd,
      env: { ...spec.env, [MARK]: mark },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return error
    throw error
  }
}

interface Exit {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
}

const exitOf = (child: ChildProcess): Promise<Exit> =>
  new Promise((resolve) => child.once('exit', (exitCode, signal) => resolve({ exitCode, signal })))

/** How a root ended that even SIGKILL did not end, because the system holds it: not known. */
const givenUp = (): Promise<Exit> =>
  new Promise((resolve) => setTimeout(() => resolve({ exitCode: null, signal: null }), UNKILLABLE_MS).unref())

/** Why it did not start; undefined when it did. */
const refusalOf = (child: ChildProcess): Promise<Error | undefined> =>
  new Promise((resolve) => {
    child.once('spawn', () => resolve(undefined))
    child.on('error', resolve)
  })

async function notStarted(spec: SpawnSpec, error: Error | undefined): Promise<Result<never>> {
  const folder = await stat(spec.cwd).catch(() => undefined)
  if (folder?.isDirectory() !== true)
    return { ok: false, failure: { code: 'NOT_FOUND', message: `The working directory ${spec.cwd} does not exist.` } }
  const reason = error !== undefined && 'code' in error ? String(error.code) : 'no process id'
  if (reason === 'E2BIG') {
    const next = 'Write the long part to a file first.'
    return {
      ok: false,
      failure: { code: 'INVALID_ARGUMENTS', message: 'The command is too long for the system.', next },
    }
  }
  const code = reason === 'ENOENT' ? 'NOT_FOUND' : 'TOOL_FAILED'
  return { ok: false, failure: { code, message: `${spec.file} could not be started: ${reason}.` } }
}

/** Waits for the exit, or ends the tree when its time is up or the caller aborts; says which of the two it was. */
async function untilOver(
  exited: Promise<Exit>,
  tree: Tree,
  options: RunOptions,
): Promise<'timeout' | 'cancel' | undefined> {
  const { promise, resolve } = Promise.withResolvers<'timeout' | 'cancel' | undefined>()
  const timer = setTimeout(() => resolve('timeout'), options.timeoutMs)
  const cancel = () => resolve('cancel')
  options.signal.addEventListener('abort', cancel, { once: true })
  if (options.signal.aborted) cancel()
  void exited.then(() => resolve(undefined))
  const stopped = await promise
  clearTimeout(timer)
  options.signal.removeEventListener('abort', cancel)
  if (stopped !== undefined) await options.living.end(tree, options.graceMs)
  return stopped
}
