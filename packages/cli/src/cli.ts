import type { Args } from './args.ts'

/** The program's surroundings, passed in so that a command can be run in a test. */
export interface Cli {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absolute; `--cwd` is already applied. */
  readonly cwd: string
  /** `$REIN_HOME`, absolute. */
  readonly home: string
  readonly version: string
  readonly stdin: NodeJS.ReadStream
  /** The answer, or the event stream, and nothing else. Resolves when the reader took it, so slow readers lose nothing. */
  out(text: string): Promise<void>
  /** Everything for people that is not the answer. */
  err(text: string): void
  /** Whether stdout is a terminal, and whether colours are wanted there. */
  readonly terminal: boolean
  readonly color: boolean
}

/** @returns the exit code (docs/failures.md, interface). */
export type Command = (cli: Cli, args: Args) => Promise<number>
