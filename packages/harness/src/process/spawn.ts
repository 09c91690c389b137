/** A process about to be started; a sandbox turns one of these into another. */
export interface SpawnSpec {
  /** Absolute path or a name on PATH. */
  readonly file: string
  readonly args: readonly string[]
  /** Absolute; must exist. */
  readonly cwd: string
  /** All the process gets: nothing is inherited. */
  readonly env: { readonly [name: string]: string }
}

/** How a process ended: facts side by side, because several can be true. */
export interface ProcessEnd {
  /** Null when a signal ended it. */
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  /** Its time was up, and its whole tree was killed. */
  readonly timedOut: boolean
  /** The caller's signal aborted, and its whole tree was killed. */
  readonly cancelled: boolean
  readonly durationMs: number
  /** What it started and left running, by process id. Empty where the system cannot tell. */
  readonly survivors: readonly Survivor[]
}

export interface Survivor {
  readonly pid: number
  /** The command line, at most 200 characters. */
  readonly command: string
}
