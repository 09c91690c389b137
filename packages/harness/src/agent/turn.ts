import type { CallBlock, Failure, PermissionMode, Result } from '@rein/session'
import { FailureError, inbox, repair, surface, turns } from '@rein/session'
import type { Delta } from '../model/assembler.ts'
import { runBatch } from '../tools/batch.ts'
import { admit } from './admission.ts'
import type { Attempted, Requests } from './attempt.ts'
import type { ModelChoice } from './header.ts'
import type { TurnContext, TurnEnd } from './loop.ts'
import type { AgentParts, AgentSettings } from './parts.ts'
import { request } from './retries.ts'

/** The agent a turn belongs to, as far as the turn needs it. */
export interface TurnAgent {
  readonly requests: Requests
  readonly model: () => ModelChoice
  readonly mode: () => PermissionMode
  readonly drain: () => Promise<void>
  readonly onDelta: (delta: Delta) => void
  readonly onProgress: (call: string, text: string) => void
}

export interface TurnOptions {
  readonly settings: AgentSettings
  readonly signal: AbortSignal
  readonly stopped: () => TurnEnd
  readonly agent: TurnAgent
}

/** One turn, from `turn/start` to `turn/end`, on the loop that is there when it begins. */
export async function runTurn(parts: AgentParts, options: TurnOptions): Promise<void> {
  const { log } = parts.session
  const turn = log.state(turns).turn + 1
  const loop = parts.loop.lease()
  try {
    log.append('turn/start', { turn })
    end(parts, turn, await loop.value.turn(contextOf(parts, options, turn)))
  } catch (error) {
    if (error instanceof FailureError) throw error
    closeBroken(parts, turn, error)
  } finally {
    loop[Symbol.dispose]()
  }
}

function end({ session: { log } }: AgentParts, turn: number, { outcome, error }: TurnEnd): void {
  log.append('turn/end', { turn, outcome, ...(error && { error }) })
  const { nextStep, nextTurn } = log.state(inbox)
  const parks = outcome === 'cancelled' || outcome === 'budget' || outcome === 'error' || outcome === 'interrupted'
  if (parks && nextStep.length + nextTurn.length > 0) log.append('inbox/parked', { reason: outcome })
}

/** A bug in a plugin or in here: close everything the turn left open, and say what happened. */
function closeBroken(parts: AgentParts, turn: number, cause: unknown): void {
  const { log } = parts.session
  for (const { type, data } of repair(log.events))
    if (type !== 'turn/end' && type !== 'inbox/parked') log.append(type, data)
  const message = `The turn broke off: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`
  const error: Failure = {
    code: 'PLUGIN_FAILED',
    message,
    next: 'A plugin, or rein itself, has a bug; please report it.',
  }
  end(parts, turn, { outcome: 'error', error })
}

function contextOf(parts: AgentParts, options: TurnOptions, turn: number): TurnContext {
  const { hooks, session } = parts
  const { log } = session
  const { signal, stopped, settings, agent } = options
  return {
    log,
    hooks,
    turn,
    signal,
    stopped,
    steps: settings.steps,
    refresh: async () => {
      await agent.drain()
      await refresh(parts, settings.cwd)
    },
    claim: (items, step) => admit(items, { log, hooks, turn, step }),
    request: (step) => {
      const { maxWaitMs, chance } = settings
      const attempt = () => attemptOnce(parts, options)
      return request({ session, hooks, turn, step, signal, maxWaitMs, chance, attempt })
    },
    call: (calls, step) => runCalls(parts, options, { calls, turn, step }),
  }
}

/** The system text once a session; then what changed since it was last told. */
function refresh({ prompt, session: { log } }: AgentParts, cwd: string): Promise<void> {
  return prompt.use((words) => {
    if (log.state(surface).messages.length === 0) log.append('system/message', words.system())
    const snapshot = words.context(log, cwd)
    if (snapshot) log.append('user/message', snapshot)
  })
}

async function attemptOnce(parts: AgentParts, { agent, signal }: TurnOptions): Promise<Result<Attempted>> {
  const choice = agent.model()
  const pin = parts.provider(choice.provider)
  if (!pin) {
    const message = `There is no provider named ${JSON.stringify(choice.provider)}.`
    return { ok: false, failure: { code: 'NO_PROVIDER', message, next: 'Choose a model with --model or /model.' } }
  }
  try {
    const { onDelta } = agent
    const { set } = parts
    const value = await agent.requests.attempt({ choice, provider: pin.value, set, kind: 'step', signal, onDelta })
    return { ok: true, value }
  } finally {
    pin[Symbol.dispose]()
  }
}

function runCalls(
  parts: AgentParts,
  { signal, agent }: TurnOptions,
  { calls, turn, step }: { calls: readonly CallBlock[]; turn: number; step: number },
): Promise<void> {
  const { set, approval, spill, redact, ports, session } = parts
  return runBatch(calls, {
    turn,
    step,
    signal,
    log: session.log,
    ports,
    set,
    approval,
    spill,
    session: parts.callSession,
    mode: agent.mode,
    redact: redact.content,
    redactJson: redact.json,
    check: () => session.lease.check(),
    onProgress: agent.onProgress,
  })
}
