import type { Failure, Result, SessionLog } from '@rein/session'
import { attempts as attemptLimit, decide } from '../model/retry.ts'
import type { Sleep } from '../model/sleep.ts'
import type { Attempted } from './attempt.ts'
import type { AgentHooks, RequestOutcome } from './hooks.ts'
import { callsIn, partialMessage } from './settlement.ts'

export interface StepRequest {
  readonly log: SessionLog
  readonly hooks: AgentHooks
  readonly turn: number
  readonly step: number
  readonly signal: AbortSignal
  /** Longest wait that is begun, in milliseconds. */
  readonly maxWaitMs: number
  /** From 0 up to 1, 1 excluded. */
  readonly chance: () => number
  readonly sleep: Sleep
  /** Fails when there is nobody to ask; then nothing was sent. */
  readonly attempt: () => Promise<Result<Attempted>>
}

/** The model call of one step. The one owner of retries: a retry is two events in the same step and opens no turn. */
export async function request(step: StepRequest): Promise<RequestOutcome> {
  const { hooks, turn, signal } = step
  for (let attempt = 1; ; attempt++) {
    let last: Attempted | undefined
    const outcome = await hooks.aroundRequest.run({ turn, step: step.step, attempt }, async () => {
      const made = await step.attempt()
      if (!made.ok) return { kind: 'failed', failure: made.failure }
      last = made.value
      return outcomeOf(last, signal)
    })
    if (outcome.kind === 'reply' || outcome.kind === 'cancelled') return outcome
    const next = nextOf(outcome, { attempt, step })
    if (next.kind === 'retry') {
      if (await waited(step, { attempt: attempt + 1, waitMs: next.waitMs, error: outcome.failure })) continue
      keepPartial(step, last)
      return { kind: 'cancelled' }
    }
    keepPartial(step, last)
    return { kind: 'failed', failure: next.failure }
  }
}

function nextOf(
  outcome: Extract<RequestOutcome, { kind: 'failed' | 'retry' }>,
  { attempt, step }: { attempt: number; step: StepRequest },
) {
  const { failure } = outcome
  if (outcome.kind === 'failed') return decide({ attempt, failure, maxWaitMs: step.maxWaitMs, chance: step.chance() })
  return attempt < attemptLimit ? { kind: 'retry' as const, waitMs: 0 } : { kind: 'give-up' as const, failure }
}

function outcomeOf({ settlement, reply }: Attempted, signal: AbortSignal): RequestOutcome {
  const { settled, message } = settlement
  if (settled.outcome === 'cancelled') return { kind: 'cancelled' }
  if (settled.error) return { kind: 'failed', failure: reply.failure ?? settled.error }
  if (signal.aborted && !message) return { kind: 'cancelled' }
  const cut = settled.finish?.reason === 'length' ? settled.dropped : undefined
  return { kind: 'reply', calls: callsIn(message?.content ?? []), cut }
}

/** @returns false when the turn was stopped during the wait. */
async function waited(
  { log, turn, step, signal, sleep }: StepRequest,
  retry: { attempt: number; waitMs: number; error: Failure },
): Promise<boolean> {
  log.append('retry/scheduled', { turn, step, ...retry })
  await sleep(retry.waitMs, signal)
  const outcome = signal.aborted ? 'abandoned' : 'started'
  log.append('retry/started', { turn, step, attempt: retry.attempt, outcome })
  return outcome === 'started'
}

/** What was streamed before the last failure stays, marked as interrupted. */
function keepPartial({ log }: StepRequest, last: Attempted | undefined): void {
  if (!last || last.settlement.message) return
  const { id, reply, origin } = last
  const message = partialMessage(reply, id, origin)
  if (message) log.append('assistant/message', message)
}
