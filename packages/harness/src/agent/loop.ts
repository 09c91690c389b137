import { seam } from '@rein/kernel'
import type { CallBlock, Failure, InboxItem, Result, SessionLog, TurnOutcome } from '@rein/session'
import { inbox, wakes } from '@rein/session'
import type { AgentHooks, RequestOutcome } from './hooks.ts'
import { cutNote } from './settlement.ts'

/** What a loop is given to drive one turn. Everything it does to the session goes through here. */
export interface TurnContext {
  readonly log: SessionLog
  readonly hooks: AgentHooks
  readonly turn: number
  /** Aborts when the turn is cancelled or runs out of time; `stopped` then says which. */
  readonly signal: AbortSignal
  readonly stopped: () => TurnEnd
  /** Most steps of one turn. */
  readonly steps: number
  /** Take in what others posted, and say what changed since the last step. Appends only what differs. */
  readonly refresh: () => Promise<void>
  /** Claim these items through the gate. @returns how many messages came of them; a refusal ends the turn as blocked. */
  readonly claim: (items: readonly InboxItem[], step: number) => Promise<Result<number>>
  /** The model call of a step, retries included. */
  readonly request: (step: number) => Promise<RequestOutcome>
  /** Run the calls of a reply; every one has its result when this resolves. */
  readonly call: (calls: readonly CallBlock[], step: number) => Promise<void>
}

export interface TurnEnd {
  readonly outcome: TurnOutcome
  readonly error?: Failure
}

/** Drives a turn from the first claim until nothing is owed. Swappable: a running turn ends on the loop it began with. */
export interface Loop {
  /** @returns how the turn ended; the agent writes `turn/start` and `turn/end`, the loop everything between. */
  turn(context: TurnContext): Promise<TurnEnd>
}

export const LoopPort = seam<Loop>('loop')

/** Replies in a row that the token limit may cut before the turn ends (rule 6). */
const cutsAllowed = 2

type StepResult =
  | { readonly kind: 'again'; readonly cut: boolean }
  | { readonly kind: 'rest' }
  | ({ kind: 'end' } & TurnEnd)

/** The loop of the `standard` preset: request, run what it asks for, repeat until it asks for nothing. */
export const standardLoop: Loop = {
  async turn(context) {
    const { signal, stopped } = context
    let owed = false
    let cuts = 0
    for (let step = 1; !signal.aborted; step++) {
      // Before the claim: what cannot be answered any more stays in the inbox.
      if (step > context.steps) return { outcome: 'budget', error: stepsSpent(context.steps) }
      await context.refresh()
      if (signal.aborted) break
      const claimed = await context.claim(claimable(context.log, step === 1), step)
      if (!claimed.ok) return { outcome: 'blocked', error: claimed.failure }
      if (signal.aborted) break
      if (!owed && claimed.value === 0) return { outcome: 'completed' }
      const result = await oneStep(context, step, cuts)
      if (result.kind === 'end') return result
      owed = result.kind === 'again'
      cuts = result.kind === 'again' && result.cut ? cuts + 1 : 0
      if (owed || signal.aborted) continue
      if (!(await goesOn(context)) && !signal.aborted) return { outcome: 'completed' }
    }
    return stopped()
  },
}

async function oneStep(context: TurnContext, step: number, cuts: number): Promise<StepResult> {
  const { log, turn } = context
  log.append('step/start', { turn, step })
  const outcome = await context.request(step)
  const result = await follow(context, { step, outcome, cuts })
  log.append('step/end', { turn, step })
  return result
}

async function follow(
  context: TurnContext,
  { step, outcome, cuts }: { step: number; outcome: RequestOutcome; cuts: number },
): Promise<StepResult> {
  switch (outcome.kind) {
    case 'cancelled':
      return { kind: 'end', ...context.stopped() }
    case 'failed':
    case 'retry':
      return { kind: 'end', outcome: 'error', error: outcome.failure }
    case 'reply': {
      if (outcome.cut !== undefined) return followCut(context, outcome.cut, cuts)
      if (outcome.calls.length === 0) return { kind: 'rest' }
      await context.call(outcome.calls, step)
      return { kind: 'again', cut: false }
    }
  }
}

/** A cut reply without calls is over, its text kept; one with calls is told which did not run, and may go on. */
function followCut({ log }: TurnContext, dropped: readonly CallBlock[], cuts: number): StepResult {
  if (dropped.length === 0) return { kind: 'end', outcome: 'max-tokens' }
  const content = [{ type: 'text', text: cutNote(dropped) }] as const
  log.append('user/message', { content, source: { kind: 'context', name: 'token-limit' } })
  return cuts < cutsAllowed ? { kind: 'again', cut: true } : { kind: 'end', outcome: 'max-tokens' }
}

/** A step boundary claims all of next-step; a turn boundary also one of next-turn. */
function claimable(log: SessionLog, turnStarts: boolean): readonly InboxItem[] {
  const { nextStep, nextTurn } = log.state(inbox)
  return turnStarts ? [...nextStep, ...nextTurn.slice(0, 1)] : nextStep
}

/** Nothing is owed. A plugin may post before the turn ends, and a steer that came meanwhile keeps it going. */
async function goesOn({ hooks, log, turn }: TurnContext): Promise<boolean> {
  await hooks.turnStopping.run({ turn }, async () => undefined)
  return log.state(inbox).nextStep.some(wakes)
}

const stepsSpent = (steps: number): Failure => ({
  code: 'STEPS',
  message: `The turn used its ${steps === 1 ? 'one step' : `${steps} steps`}.`,
  next: 'Go on with another message, or allow more with --max-steps.',
})
