import type { CallBlock, DataOf, EventType, PermissionMode, Result, SessionLog, TurnOutcome } from '@rein/session'
import { FailureError, inbox, owed, parks, repair, surface, turns, waitingIn } from '@rein/session'
import type { Delta } from '../model/assembler.ts'
import { pause } from '../model/sleep.ts'
import type { Answers } from '../tools/answers.ts'
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
  readonly answers: Answers
  readonly onDelta: (delta: Delta) => void
  readonly onProgress: (call: string, text: string) => void
}

export interface TurnOptions {
  readonly settings: AgentSettings
  readonly signal: AbortSignal
  readonly stopped: () => TurnEnd
  /** Whether input that wakes came after the turn was told to stop: it is meant for what follows, and parks nothing. */
  readonly released: () => boolean
  readonly agent: TurnAgent
}

/** One turn, from `turn/start` to `turn/end`, on the loop that is there when it begins. */
export async function runTurn(parts: AgentParts, options: TurnOptions): Promise<TurnOutcome> {
  const { log } = parts.session
  const turn = log.state(turns).turn + 1
  const end = await parts.loop.use(async (loop): Promise<TurnEnd> => {
    log.append('turn/start', { turn })
    try {
      return await loop.turn(contextOf(parts, options, turn))
    } catch (error) {
      if (error instanceof FailureError) throw error
      return broken(error)
    }
  })
  closeOpen(log)
  const { outcome, error } = end
  log.append('turn/end', { turn, outcome, ...(error && { error }) })
  if (parks(outcome) && !options.released()) park(log, outcome)
  return outcome
}

/** What waits does not start by itself; the next waking post releases it. */
export function park(log: SessionLog, reason: DataOf<'inbox/parked'>['reason']): void {
  if (waitingIn(log.state(inbox)).length > 0) log.append('inbox/parked', { reason })
}

/** Close what a loop or a plugin with a bug left open of this turn. What may outlive a turn goes on. */
function closeOpen(log: SessionLog): void {
  const { calls, requests, retry, approvals, questions, compactions } = log.state(owed)
  const open = calls.length + requests.length + approvals.length + questions.length + compactions.length
  if (open === 0 && !retry && !log.state(turns).stepOpen) return
  for (const { type, data } of repair(log.events)) if (inTurn.has(type)) log.append(type, data)
}

const inTurn: ReadonlySet<EventType> = new Set<EventType>([
  'request/settled',
  'retry/started',
  'approval/decided',
  'question/answered',
  'tool/result',
  'compaction/end',
  'step/end',
])

const broken = (cause: unknown): TurnEnd => ({
  outcome: 'error',
  error: {
    code: 'PLUGIN_FAILED',
    message: `The turn broke off: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`,
    next: 'A plugin, or rein itself, has a bug; please report it.',
  },
})

function contextOf(parts: AgentParts, options: TurnOptions, turn: number): TurnContext {
  const { hooks } = parts
  const { log } = parts.session
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
    claim: (items, step) => admit(items, { log, hooks, turn, step, signal }),
    request: (step) => {
      const { maxWaitMs, chance, sleep = pause } = settings
      const attempt = () => attemptOnce(parts, options)
      return request({ log, hooks, turn, step, signal, maxWaitMs, chance, sleep, attempt })
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
    return await agent.requests.attempt({ choice, provider: pin.value, set, kind: 'step', signal, onDelta })
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
    answers: agent.answers,
    spill,
    session: parts.callSession,
    mode: agent.mode,
    redact: redact.content,
    redactJson: redact.json,
    check: () => session.lease.check(),
    onProgress: agent.onProgress,
  })
}
