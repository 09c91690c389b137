import { type EventType, fold, type LiveSession, type SessionEvent, usage } from '@rein/session'
import type { Cli } from './cli.ts'
import type { TaskResult } from './result.ts'
import { GrantedAnswers } from './view/granted-answers.ts'
import { LiveText } from './view/live-text.ts'
import { openedText } from './view/marks.ts'
import { paint } from './view/paint.ts'
import { render } from './view/render.ts'
import { tokenLine } from './view/token-line.ts'
import { UnshownCalls } from './view/unshown-calls.ts'

/** What a headless run tells people on stderr: tool calls, diffs, retries, denials; never the answer. */
export interface Progress {
  /** What is lost of the log that is gone on with, and what will not run because of that. */
  opened(session: Pick<LiveSession, 'damage' | 'withdrawn'>): void
  event(event: SessionEvent): void
  /** The last line: tokens and cost. */
  end(result: TaskResult, events: readonly SessionEvent[]): void
}

export const silent: Progress = { opened: () => undefined, event: () => undefined, end: () => undefined }

/** Told to people only when they ask for more. */
const wordy: ReadonlySet<EventType> = new Set<EventType>(['system/message', 'permission/mode', 'session/resume'])

export function progress(cli: Cli, { cwd, verbose }: { readonly cwd: string; readonly verbose: boolean }): Progress {
  const calls = new UnshownCalls()
  const answers = new GrantedAnswers()
  const color = cli.color && process.stderr.isTTY === true
  const live = new LiveText(cli.err, paint(color))
  return {
    opened(session) {
      for (const text of openedText(session)) cli.err(`${paint(color).red(text)}\n`)
    },
    event(event) {
      const unshown = calls.next(event)
      if (event.type === 'assistant/chunks' && verbose) live.add(event)
      if (answers.repeats(event) || !isTold(event, verbose)) return
      const streamed = !verbose || (event.type === 'assistant/message' && live.has(event.data.request))
      const shown = render(event, { color, cwd, streamed, unshown })
      if (shown === undefined) return
      live.end()
      cli.err(`${shown}\n`)
    },
    end(result, events) {
      live.end()
      cli.err(`${tokenLine(fold(usage, events), result.usage)}\n`)
    },
  }
}

/** How the turn ended is told with the result; context snapshots and the task itself are known. */
function isTold(event: SessionEvent, verbose: boolean): boolean {
  if (event.type === 'turn/end' || (event.type === 'user/message' && event.data.source.kind === 'person')) return false
  if (event.type === 'user/message' && event.data.source.kind === 'context') {
    return verbose || event.data.source.name === 'token-limit'
  }
  return verbose || !wordy.has(event.type)
}
