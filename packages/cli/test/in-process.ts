import type { Cli } from '../src/cli.ts'
import type { Place } from './program.ts'

/** The surroundings of a command that runs inside the test, and what it printed. */
export interface Surroundings {
  readonly cli: Cli
  out(): string
  err(): string
}

export function surroundings({ home, cwd }: Place): Surroundings {
  const printed = { out: '', err: '' }
  const cli: Cli = {
    env: {},
    cwd,
    home,
    version: '0.0.0',
    stdin: process.stdin,
    out: async (text) => {
      printed.out += text
    },
    err: (text) => {
      printed.err += text
    },
    terminal: false,
    color: false,
  }
  return { cli, out: () => printed.out, err: () => printed.err }
}
