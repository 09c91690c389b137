import type { Failure } from '@rein/session'
import type { Cli } from './cli.ts'
import { exitOfFailure, failureText } from './exit.ts'
import { resultLine } from './result.ts'

/** Say why nothing ran. With `json` the result line says it too, so that a script always gets one. */
export async function failed(cli: Cli, failure: Failure, json = false): Promise<number> {
  const exit = exitOfFailure(failure)
  cli.err(failureText(failure))
  if (json) await cli.out(`${resultLine(null, exit, { error: failure })}\n`)
  return exit
}
