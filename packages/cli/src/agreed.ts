import { createInterface } from 'node:readline/promises'
import type { Cli } from './cli.ts'

/** Ask on the terminal what only y or yes agrees to. */
export async function agreed(cli: Cli, question: string): Promise<boolean> {
  const lines = createInterface({ input: cli.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim())
  } finally {
    lines.close()
  }
}
