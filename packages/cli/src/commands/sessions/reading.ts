import type { Cli } from '../../cli.ts'
import { count } from '../../view/amount.ts'

/** Nothing is said before, in milliseconds. */
const quietMs = 1000
const everyMs = 200

/** A line on stderr about logs that are read for the first time, when that takes long. */
export function reading(
  cli: Cli,
  terminal: boolean,
): { readonly progress: (done: number, of: number) => void; end(): void } {
  const started = Date.now()
  let told = 0
  return {
    progress(done, of) {
      const now = Date.now()
      if (now - started < quietMs || now - told < everyMs || (told > 0 && !terminal)) return
      told = now
      cli.err(
        `${terminal ? '\r' : ''}Reading logs for the index: ${count(done)} of ${count(of)} …${terminal ? '' : '\n'}`,
      )
    },
    end() {
      // Back to the start of the line, and the line goes. Source: ECMA-48 §8.3.41.
      if (told > 0 && terminal) cli.err(`\r${String.fromCharCode(27)}[K`)
      told = 0
    },
  }
}
