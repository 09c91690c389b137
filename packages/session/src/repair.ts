import type { DataOf, EventType, SessionEvent } from './events/index.ts'
import type { ResultOutcome } from './events/message.ts'
import { fold } from './fold.ts'
import { inbox, parks, removalOf, waitingIn } from './folds/inbox.ts'
import { type Owed, owed } from './folds/owed.ts'
import { turns } from './folds/turns.ts'
import { unsure } from './unsure.ts'

/** One event to append, before it has a place. */
export type RepairDraft = { readonly [T in EventType]: { readonly type: T; readonly data: DataOf<T> } }[EventType]

/** What the model is told of a call that a crash left open; it decides on this whether to run it again. */
export const unknownText =
  'The process stopped while this call was running. Its outcome is unknown: it may or may not have taken effect. ' +
  'Check the state of things before running it again.'
export const notStartedText = 'This call was not started: nothing happened, and it is safe to run it again.'

/**
 * What must be appended so that everything open is closed (rule 13): what a crash, or a fork in the middle of a
 * turn, leaves behind; and input that may have been claimed by an event that is lost is withdrawn, for it must not run
 * twice. Pure; nothing is appended when nothing is open.
 */
export function repair(events: readonly SessionEvent[]): readonly RepairDraft[] {
  const open = fold(owed, events)
  const at = fold(turns, events)
  const waiting = fold(inbox, events)
  const drafts: RepairDraft[] = [requestDrafts, approvalDrafts, callDrafts, workDrafts].flatMap((of) => [...of(open)])
  if (at.stepOpen) drafts.push({ type: 'step/end', data: { turn: at.turn, step: at.step } })
  if (at.turnOpen) drafts.push({ type: 'turn/end', data: { turn: at.turn, outcome: 'interrupted' } })
  const withdrawn = unsure(events)
  for (const item of withdrawn) drafts.push({ type: 'inbox/spliced', data: removalOf(item, 'withdrawn') })
  const queued = waitingIn(waiting).length - withdrawn.length
  const reason = at.turnOpen ? 'interrupted' : stoppedBy(events)
  if (reason !== undefined && queued > 0 && waiting.parked === undefined)
    drafts.push({ type: 'inbox/parked', data: { reason } })
  return drafts
}

/** What says what became of the log, and nothing of the session: it may come between a turn's end and what it leads to. */
const ofTheLog: ReadonlySet<EventType> = new Set(['session/resume', 'session/damage', 'session/migrated'])

/** How a turn ended whose end is the last that happened: what waited had to be parked next (rule 16). */
function stoppedBy(events: readonly SessionEvent[]): DataOf<'inbox/parked'>['reason'] | undefined {
  const last = events.findLast(({ type }) => !ofTheLog.has(type))
  return last?.type === 'turn/end' && parks(last.data.outcome) ? last.data.outcome : undefined
}

function requestDrafts(open: Owed): RepairDraft[] {
  const drafts: RepairDraft[] = open.requests.map((id) => ({
    type: 'request/settled',
    data: { id, outcome: 'interrupted', finish: null, usage: null, dropped: [], error: null, timing: null },
  }))
  if (open.retry) drafts.push({ type: 'retry/started', data: { ...open.retry, outcome: 'abandoned' } })
  return drafts
}

/** An open approval was never given: its call did not start, and it is never asked again by itself. */
function approvalDrafts(open: Owed): RepairDraft[] {
  return [
    ...open.approvals.map((id): RepairDraft => {
      return { type: 'approval/decided', data: { id, decision: 'unanswered', by: 'crash' } }
    }),
    ...open.questions.map((id): RepairDraft => {
      return { type: 'question/answered', data: { id, answers: null, by: 'crash' } }
    }),
  ]
}

function callDrafts(open: Owed): RepairDraft[] {
  return open.calls.map(({ call, started }) => {
    const outcome: ResultOutcome = started === undefined ? { kind: 'not-started' } : { kind: 'unknown' }
    const text = started === undefined ? notStartedText : unknownText
    return { type: 'tool/result', data: { call: call.id, name: call.name, outcome, content: [{ type: 'text', text }] } }
  })
}

function workDrafts(open: Owed): RepairDraft[] {
  return [
    ...open.compactions.map((id): RepairDraft => ({ type: 'compaction/end', data: { id, outcome: 'interrupted' } })),
    ...open.commands.map((id): RepairDraft => ({ type: 'command/done', data: { id, outcome: 'interrupted' } })),
    ...open.jobs.map((id): RepairDraft => ({ type: 'job/end', data: { id, outcome: 'lost' } })),
    ...open.agents.map((id): RepairDraft => {
      return { type: 'agent/settled', data: { id, outcome: 'interrupted', usage: null } }
    }),
  ]
}
