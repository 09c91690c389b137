import type { Content, DataOf, Failure, Json, ResultOutcome } from '@rein/session'
import { isBlank, notStartedText } from '@rein/session'
import type { ToolOutput } from './definition.ts'

/** What a call came to, ready to be appended as its one result. */
export type CallResult = Omit<DataOf<'tool/result'>, 'call' | 'name'>

const text = (words: string): readonly Content[] => [{ type: 'text', text: words }]

/** What the model reads of a failure: the code, the words, and what to do next. */
export const failureText = ({ code, message, next }: Failure): string =>
  `[${code}] ${message}${next === undefined ? '' : `\n${next}`}`

export const failed = (failure: Failure): CallResult => ({
  outcome: { kind: 'failed', failure },
  content: text(failureText(failure)),
})

export const denied = (by: string, reason: string): CallResult => ({
  outcome: { kind: 'denied', by, reason },
  content: text(
    `This call was denied by ${by}: ${reason}\nIt did not run. Do not try to reach the same end by other means; say what you need, or go on without it.`,
  ),
})

export const notStarted: CallResult = { outcome: { kind: 'not-started' }, content: text(notStartedText) }

export const cancelled: CallResult = {
  outcome: { kind: 'cancelled' },
  content: text('The person cancelled this call while it was running. It may have taken effect in part.'),
}

export const timedOut = (afterMs: number): CallResult => ({
  outcome: { kind: 'timed-out', afterMs },
  content: text(`The call was stopped after ${afterMs} ms. It may have taken effect in part.`),
})

/** A body's own words, brought into the form of a result. Empty content becomes a short phrase (rule 10). */
export function resultOf(output: ToolOutput): CallResult {
  const extras: { view?: Json; seen?: CallResult['seen'] & object } = {}
  if ('view' in output && output.view !== undefined) extras.view = output.view
  if ('seen' in output && output.seen !== undefined) extras.seen = output.seen
  return { outcome: outcomeOf(output), content: filled(contentOf(output)), ...extras }
}

function outcomeOf(output: ToolOutput): ResultOutcome {
  switch (output.kind) {
    case 'done':
      return { kind: 'done' }
    case 'failed':
      return { kind: 'failed', failure: output.failure }
    case 'timed-out':
      return { kind: 'timed-out', afterMs: output.afterMs }
    case 'cancelled':
      return { kind: 'cancelled' }
    case 'denied':
      return { kind: 'denied', by: output.by, reason: output.reason }
  }
}

function contentOf(output: ToolOutput): readonly Content[] {
  switch (output.kind) {
    case 'done':
    case 'timed-out':
    case 'cancelled':
      return typeof output.content === 'string' ? text(output.content) : output.content
    case 'failed':
      return text(output.content ?? failureText(output.failure))
    case 'denied':
      return output.content === undefined ? denied(output.by, output.reason).content : text(output.content)
  }
}

function filled(content: readonly Content[]): readonly Content[] {
  const kept = content.filter((part) => !isBlank(part))
  return kept.length > 0 ? kept : text('(no output)')
}
