import type { Slot } from '@rein/kernel'
import type { CallBlock, Content, Json, Lease, PermissionMode, Ports, SessionLog } from '@rein/session'
import { seen } from '@rein/session'
import { bounded } from './bound.ts'
import type { CallContext, Spill } from './definition.ts'
import { type CallResult, cancelled, denied, failed, notStarted, resultOf, timedOut } from './outcome.ts'
import type { Approval, CallSession, CheckedCall, Decision, ToolSet } from './ports.ts'
import { type Prepared, prepare } from './prepare.ts'

/** What a call needs from its agent. One value a step. */
export interface CallScope {
  readonly log: SessionLog
  readonly ports: Ports
  readonly set: ToolSet
  readonly approval: Slot<Approval>
  readonly spill: Spill
  readonly session: CallSession
  readonly mode: () => PermissionMode
  readonly turn: number
  readonly step: number
  /** Aborts when the turn is cancelled. */
  readonly signal: AbortSignal
  /** Replace secrets, before anything is logged. */
  readonly redact: (content: readonly Content[]) => readonly Content[]
  readonly redactJson: (value: Json) => Json
  /** Rejects when this writer was overtaken while the call ran. */
  readonly check: Lease['check']
  readonly onProgress: (call: string, text: string) => void
}

/** How long a body may go on after it was told to stop before it is left behind, in milliseconds. */
const graceMs = 10_000
const defaultTimeoutMs = 600_000

export const prepareCall = (block: CallBlock, scope: CallScope) =>
  prepare(block, { set: scope.set, session: scope.session, mode: scope.mode(), turn: scope.turn, step: scope.step })

/**
 * One call from guards to result: guards → approval → `tool/call` → around → run → bounded, redacted result. The
 * result is returned, not appended: results stand in the model's order (rule 3), which is the batch's business.
 */
export async function runCall(prepared: Prepared, scope: CallScope): Promise<CallResult> {
  const { checked } = prepared
  const refusal = await scope.set.guardCall.ask(checked)
  if (refusal) return denied(refusal.by, refusal.reason)
  const answer = await approve(checked, scope)
  if (answer) return answer
  // A cancelled turn starts nothing more; the call was never begun.
  if (scope.signal.aborted) return notStarted
  const { call, effects } = checked
  const record = { turn: call.turn, step: call.step, call: call.id, name: call.name, arguments: call.arguments }
  const { seq } = scope.log.append('tool/call', { ...record, parallel: prepared.parallel, effects })
  await (effects === 'some' ? scope.log.synced(seq) : scope.log.written(seq))
  const started = scope.ports.now()
  const result = await body(prepared, scope)
  await scope.check()
  return { ...(await finished(result, checked, scope)), durationMs: scope.ports.now() - started }
}

/** @returns a denial, or undefined when the call may go on. */
async function approve(checked: CheckedCall, scope: CallScope): Promise<CallResult | undefined> {
  const lease = scope.approval.lease()
  try {
    const asked = await lease.value.needed(checked)
    if (!asked) return undefined
    const id = scope.ports.id('ap')
    scope.log.append('approval/asked', { id, call: checked.call.id, ...asked })
    const decision = await answerOf(lease.value.ask({ ...asked, id, call: checked }, scope.signal), scope.signal)
    scope.log.append('approval/decided', { id, ...decision })
    if (decision.decision === 'allowed-once') return undefined
    const why = decision.decision === 'denied' ? (decision.words ?? 'permission was refused') : 'nobody answered'
    return denied(decision.by, why)
  } finally {
    lease[Symbol.dispose]()
  }
}

/** A throw and an abort are a no, whatever the answerer does afterwards. */
async function answerOf(answer: Promise<Decision>, signal: AbortSignal): Promise<Decision> {
  try {
    return await Promise.race([answer, aborted(signal)])
  } catch (error) {
    return { decision: 'unanswered', by: 'harness', words: signal.aborted ? 'the turn was cancelled' : String(error) }
  }
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

async function body(prepared: Prepared, scope: CallScope): Promise<CallResult> {
  const { tool, args, checked } = prepared
  const limitMs = tool.timeoutMs ?? defaultTimeoutMs
  const limit = new CallLimit(scope.signal, limitMs)
  try {
    const run = scope.set.aroundCall.run(checked, () => tool.run(args, contextOf(checked, scope, limit.signal)))
    return resultOf(await Promise.race([run, limit.leftBehind]))
  } catch (error) {
    if (scope.signal.aborted) return cancelled
    if (limit.signal.aborted) return timedOut(limitMs)
    return failed({ code: 'TOOL_FAILED', message: `${checked.call.name} failed inside: ${String(error)}` })
  } finally {
    limit[Symbol.dispose]()
  }
}

/** Tells one body to stop when the turn is cancelled or its time is up, and gives up on it when it does not. */
class CallLimit implements Disposable {
  readonly signal: AbortSignal
  /** Rejects when the body goes on past the grace time. */
  readonly leftBehind: Promise<never>
  readonly #turn: AbortSignal
  readonly #stop: () => void
  #timer: NodeJS.Timeout

  constructor(turn: AbortSignal, limitMs: number) {
    const own = new AbortController()
    const { promise, reject } = Promise.withResolvers<never>()
    this.signal = own.signal
    this.leftBehind = promise
    this.#turn = turn
    this.#stop = () => {
      own.abort(turn.reason)
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => reject(own.signal.reason), graceMs)
    }
    this.#timer = setTimeout(this.#stop, limitMs)
    if (turn.aborted) this.#stop()
    else turn.addEventListener('abort', this.#stop)
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#turn.removeEventListener('abort', this.#stop)
  }
}

function contextOf(checked: CheckedCall, scope: CallScope, signal: AbortSignal): CallContext {
  const { call, session, mode } = checked
  const files = scope.log.state(seen)
  return {
    call,
    cwd: session.cwd,
    mode,
    signal,
    seen: (path) => files.get(path),
    note: (kind, data) => void scope.log.append('plugin/note', { plugin: call.name, kind, v: 1, data }),
    state: (fold) => scope.log.state(fold),
    progress: (text) => scope.onProgress(call.id, text),
    spill: scope.spill,
  }
}

async function finished(result: CallResult, checked: CheckedCall, scope: CallScope): Promise<CallResult> {
  const safe = scope.redact(result.content)
  const kept = await bounded(safe, scope.spill, checked.call.id)
  const view = result.view === undefined ? {} : { view: scope.redactJson(result.view) }
  return { ...result, ...kept, ...view }
}
