import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { PermissionMode, Result } from '@rein/session'
import type { OverflowFile } from './capture.ts'
import type { LivingTrees } from './living.ts'
import { type Ran, runProcess } from './run.ts'
import type { SpawnSpec } from './spawn.ts'

/** One command line, as the model wrote it. */
export interface ShellCommand {
  readonly command: string
  /** Absolute. */
  readonly cwd: string
  /** What the command may do, which a sandbox holds it to. */
  readonly mode: PermissionMode
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export interface ShellCallbacks {
  /** What a person may watch while it runs. */
  readonly onOutput?: (recent: string) => void
  /** A file for output that is too long to be told. */
  readonly overflow?: () => Promise<OverflowFile>
}

/** Runs command lines; what a tool needs of processes. Fails `NOT_FOUND` or `TOOL_FAILED` when nothing was started. */
export interface Shell {
  run(command: ShellCommand, callbacks: ShellCallbacks): Promise<Result<Ran>>
}

export interface ShellOptions {
  readonly living: LivingTrees
  /** Asked at each command, so that a secret registered meanwhile is withheld too. */
  readonly environment: () => { readonly [name: string]: string }
  /** Unlike any other, also after a restart. */
  readonly mark: () => string
  /** Milliseconds, monotonic. */
  readonly now: () => number
  /** Milliseconds between SIGTERM and SIGKILL. Default 3000. */
  readonly graceMs?: number
  /** What confines the process of a command. Default: nothing does. */
  readonly confine?: (spec: SpawnSpec, command: ShellCommand) => SpawnSpec
}

/** The machine's own shell: `bash`, or `sh` where there is none. Both outputs arrive in one pipe, in the order written. */
export function processShell(options: ShellOptions): Shell {
  const confine = options.confine ?? ((spec: SpawnSpec) => spec)
  return {
    run(command, callbacks) {
      const env = options.environment()
      const args = ['-c', 'exec "$@" 2>&1', 'sh', shellOn(env.PATH ?? ''), '-c', command.command]
      const spec = confine({ file: '/bin/sh', args, cwd: command.cwd, env }, command)
      const { living, now, graceMs } = options
      const limits = {
        timeoutMs: command.timeoutMs,
        signal: command.signal,
        ...(graceMs === undefined ? {} : { graceMs }),
      }
      return runProcess(spec, { living, now, mark: options.mark(), ...limits, ...callbacks })
    },
  }
}

function shellOn(path: string): string {
  for (const folder of path.split(delimiter)) {
    const file = join(folder, 'bash')
    if (folder !== '' && isExecutable(file)) return file
  }
  return isExecutable('/bin/bash') ? '/bin/bash' : '/bin/sh'
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}
