import type { SessionEvent } from '@rein/session'
import type { Cli } from './cli.ts'
import { exitOf, failureText } from './exit.ts'
import type { Progress } from './progress.ts'
import { resultLine, type TaskResult } from './result.ts'
import type { StopSignal } from './signals.ts'
import { safeText } from './view/safe-text.ts'

export interface Reported {
  readonly session: string
  readonly result: TaskResult
  /** Of the session, for what it used. */
  readonly events: readonly SessionEvent[]
  readonly told: Progress
  readonly signal: StopSignal | undefined
}

/** The end of a headless run: the answer or the result line on stdout, everything else on stderr. @returns the exit code. */
export async function report(
  cli: Cli,
  task: { readonly json: boolean },
  { session, result, events, told, signal }: Reported,
): Promise<number> {
  const { outcome, text, denied, error } = result
  const answered = text.trim() !== ''
  const exit = exitOf({ outcome, denied: denied.length > 0, answered, ...(signal && { signal }) })
  told.end(result, events)
  if (error) cli.err(failureText({ ...error, message: `${error.code}: ${safeText(error.message)}` }))
  else if (outcome === 'max-tokens') cli.err('rein: the answer was cut by the token limit\n')
  else if (outcome === 'cancelled') cli.err('rein: cancelled\n')
  if (denied.length > 0)
    cli.err(`rein: denied: ${denied.map(({ name, by }) => `${name} (${safeText(by)})`).join(', ')}\n`)
  if (task.json) await cli.out(`${resultLine(session, exit, result)}\n`)
  else if (answered && isAnswer(outcome)) await cli.out(answerFor(cli, text))
  else if (answered) cli.err(`${safeText(text)}\n`)
  return exit
}

/** A program gets every byte of it; a terminal would obey some of them. */
function answerFor({ terminal }: Cli, text: string): string {
  const shown = terminal ? safeText(text) : text
  return shown.endsWith('\n') ? shown : `${shown}\n`
}

/** What came of a reply before an error or a stop is for people: a script must not take it for the answer. */
const isAnswer = (outcome: TaskResult['outcome']): boolean =>
  outcome === 'completed' || outcome === 'max-tokens' || outcome === 'blocked'
