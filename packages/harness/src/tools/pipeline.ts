import type { Slot } from '@rein/kernel'
import type { CallBlock, Content, Failure, Lease, PermissionMode, Ports, SessionLog } from '@rein/session'
import { FailureError, seen } from '@rein/session'
import type { Answers } from './answers.ts'
import { bounded, boundedView } from './bound.ts'
import type { CallContext, Spill } from './definition.ts'
import { type CallResult, cancelled, denied, failed, notStarted, resultOf, timedOut } from './outcome.ts'
import type { Approval, ApprovalAsk, CallSession, CheckedCall, Decision, ToolSet } from './ports.ts'
import { type Prepared, prepare } from './prepare.ts'

/** What a call needs from its agent. One value a step. */
export interface CallScope {
  readonly log: SessionLog
  readonly ports: Ports
  readonly set: ToolSet
  readonly approval: Slot<Approval>
  /** Answers posted by whoever follows the session. */
  readonly answers: Answers
  readonly spill: Spill
  readonly session: CallSession
  readonly mode: () => PermissionMode
  readonly turn: number
  readonly step: number
  /** Aborts when the turn is cancelled. */
  readonly signal: AbortSignal
  /** Replace secrets, before anything is logged. */
  readonly redact: (content: readonly Content[]) => readonly Content[]
  readonly redactJson: <T>(value: T) => T
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

/** @returns a denial, or undefined when the call may go on. Only a clear yes lets it: trouble is a no (rule 11). */
async function approve(checked: CheckedCall, scope: CallScope): Promise<CallResult | undefined> {
  try {
    return await scope.approval.use(async (approval) => {
      const asked = await approval.needed(checked)
      return asked && permitted(approval, asked, { checked, scope })
    })
  } catch (error) {
    if (error instanceof FailureError) throw error
    return denied('harness', `whether it is allowed could not be found out: ${String(error)}`)
  }
}

async function permitted(
  approval: Approval,
  asked: ApprovalAsk,
  { checked, scope }: { checked: CheckedCall; scope: CallScope },
): Promise<CallResult | undefined> {
  const id = scope.ports.id('ap')
  scope.log.append('approval/asked', { id, call: checked.call.id, ...asked })
  const answer = (signal: AbortSignal) => approval.ask({ ...asked, id, call: checked }, signal)
  const { decision, by, words } = await firstOf(answer, { id, scope })
  scope.log.append('approval/decided', { id, decision, by, ...(words !== undefined && { words }) })
  if (decision === 'allowed-once') return undefined
  return denied(by, decision === 'denied' ? (words ?? 'permission was refused') : 'nobody answered')
}

/** The first answer, from here or posted; none when the turn is cancelled. The question is then taken away. */
async function firstOf(
  ask: (signal: AbortSignal) => Promise<Decision>,
  { id, scope }: { id: string; scope: CallScope },
): Promise<Decision> {
  const over = new AbortController()
  const signal = AbortSignal.any([scope.signal, over.signal])
  const cancelled = new Promise<Decision>((resolve) => {
    const stop = () => resolve({ decision: 'unanswered', by: 'cancelled' })
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([ask(signal), scope.answers.to(id), cancelled])
  } catch (error) {
    return { decision: 'unanswered', by: 'error', words: String(error) }
  } finally {
    scope.answers.forget(id)
    over.abort()
  }
}

async function body(prepared: Prepared, scope: CallScope): Promise<CallResult> {
  const { tool, args, checked } = prepared
  const limitMs = tool.timeoutMs ?? defaultTimeoutMs
  const limit = new CallLimit(scope.signal, limitMs)
  try {
    if (scope.signal.aborted) return cancelled
    const run = scope.set.aroundCall.run(checked, () => tool.run(args, contextOf(checked, scope, limit)))
    return resultOf(await Promise.race([run, limit.leftBehind]))
  } catch (error) {
    if (scope.signal.aborted) return cancelled
    if (limit.signal.aborted) return timedOut(limitMs)
    return failed(failureOf(error, checked.call.name))
  } finally {
    limit[Symbol.dispose]()
  }
}

const failureOf = (error: unknown, name: string): Failure =>
  error instanceof FailureError
    ? error.failure
    : { code: 'TOOL_FAILED', message: `${name} failed inside: ${String(error)}` }

/** Tells one body to stop when the turn is cancelled or its time is up, and gives up on it when it does not. */
class CallLimit implements Disposable {
  readonly signal: AbortSignal
  /** What the body still does is no part of the call any more. */
  over = false
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
    this.over = true
    clearTimeout(this.#timer)
    this.#turn.removeEventListener('abort', this.#stop)
  }
}

function contextOf(checked: CheckedCall, scope: CallScope, limit: CallLimit): CallContext {
  const { call, session, mode } = checked
  const files = scope.log.state(seen)
  return {
    call,
    cwd: session.cwd,
    mode,
    signal: limit.signal,
    seen: (path) => files.get(scope.redactJson(path)),
    note: (kind, data) => {
      if (limit.over) throw new Error(`the call ${call.id} is over`)
      scope.log.append('plugin/note', { plugin: call.name, kind, v: 1, data: scope.redactJson(data) })
    },
    state: (fold) => scope.log.state(fold),
    progress: (text) => {
      if (!limit.over) scope.onProgress(call.id, text)
    },
    spill: scope.spill,
  }
}

/** Redacted first, then bounded: what is cut in half could not be recognised any more. */
async function finished(result: CallResult, checked: CheckedCall, scope: CallScope): Promise<CallResult> {
  const { redact, redactJson, spill } = scope
  const { seen, view } = result
  const kept = await bounded(redact(result.content), spill, checked.call.id)
  return {
    ...result,
    outcome: redactJson(result.outcome),
    ...kept,
    ...(view !== undefined && { view: boundedView(redactJson(view)) }),
    ...(seen && { seen: seen.map((file) => ({ ...file, path: redactJson(file.path) })) }),
  }
}
