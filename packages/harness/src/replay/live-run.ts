import { join } from 'node:path'
import type { DataOf, Json } from '@rein/session'
import { seen } from '@rein/session'
import type { AgentParts } from '../agent/parts.ts'
import type { CallContext, ToolOutput } from '../tools/definition.ts'
import type { CallSession, CheckedCall } from '../tools/ports.ts'
import { prepare } from '../tools/prepare.ts'
import { isMap, type Place } from './difference.ts'
import { inCopy, isAllowed, narrower, type OwnLeave } from './own-leave.ts'
import type { RunCall } from './played-calls.ts'
import type { Parting } from './replay-log.ts'

/** A result that is another one today. */
export interface ToolDifference {
  /** Seq of the recorded result. */
  readonly seq: number
  readonly call: string
  readonly name: string
  readonly place: Place
}

export interface LiveRunOptions {
  /** The workspace the log names, and the copy; both absolute. */
  readonly cwd: string
  readonly copy: string
  /** What becomes of a call that is not run. */
  readonly recorded: RunCall
  /** Absent when a person saw every call and wants them run as the recording was allowed to. */
  readonly leave: OwnLeave | undefined
}

const defaultTimeoutMs = 600_000

/**
 * Runs the calls of a recording for real, in a copy of the workspace. Where a text names the workspace it names the
 * copy while the tool runs, and the workspace again in what comes out: arguments, content, views and versions alike.
 * Calls that were stopped, timed out or whose end is not known are not run: how far they came nobody can repeat. Nor
 * are calls that nobody here gave leave to (own-leave.ts).
 */
export class LiveRun {
  readonly differences: ToolDifference[] = []
  ran = 0
  /** Calls that kept their recorded result for want of leave. */
  kept = 0
  /** Tools and policy of today; set before the first call. */
  today: AgentParts | undefined
  readonly #options: LiveRunOptions
  readonly #cwd: string
  readonly #copy: string
  readonly #sessions = new WeakMap<CallSession, CallSession>()
  readonly #running = new Set<string>()
  readonly #live = new Set<string>()

  constructor(options: LiveRunOptions) {
    this.#options = options
    this.#cwd = options.cwd
    this.#copy = options.copy
  }

  readonly busy = (): boolean => this.#running.size > 0

  /** A result that came out differently is taken down, and the recorded one stands, so that the replay goes on. */
  readonly tolerates = ({ seq, now, place }: Parting): boolean => {
    if (now.type !== 'tool/result' || place.path === 'type' || !isMap(now.data)) return false
    const { call, name } = now.data
    if (typeof call !== 'string' || typeof name !== 'string' || !this.#live.has(call)) return false
    this.differences.push({ seq, call, name, place })
    return true
  }

  readonly run: RunCall = async (checked, recorded) => {
    const { kind } = recorded.outcome
    if (kind !== 'done' && kind !== 'failed' && kind !== 'denied') return this.#options.recorded(checked, recorded)
    const { id } = checked.call
    this.#running.add(id)
    try {
      const output = await this.#real(checked)
      if (!output) return await this.#options.recorded(checked, recorded)
      return timedAs(recorded, this.#mapped(output, this.#copy, this.#cwd))
    } catch (error) {
      const message = `${checked.call.name} failed inside: ${String(error)}`
      return { kind: 'failed', failure: { code: 'TOOL_FAILED', message } }
    } finally {
      this.#running.delete(id)
    }
  }

  /** @returns undefined when nobody here gave leave for it. */
  async #real(checked: CheckedCall): Promise<ToolOutput | undefined> {
    const { call } = checked
    const { today } = this
    const { leave } = this.#options
    if (!today || leave?.wasAsked(call.id)) return this.#keep()
    const text = JSON.stringify(this.#mapped(checked.args, this.#cwd, this.#copy))
    const block = { type: 'call', id: call.id, name: call.name, arguments: text } as const
    const session = leave ? this.#inCopy(checked.session) : checked.session
    const mode = narrower(checked.mode, leave)
    const prepared = prepare(block, { set: today.set, session, mode, turn: call.turn, step: call.step })
    if (!prepared.ok) return this.#begun(call.id, { kind: 'failed', failure: prepared.failure })
    const { tool, args, lease } = prepared.value
    using _ = lease
    if (leave && !(await isAllowed(prepared.value.checked, today))) return this.#keep()
    this.#begun(call.id)
    const signal = AbortSignal.timeout(tool.timeoutMs ?? defaultTimeoutMs)
    return tool.run(args, this.#context({ ...checked, mode }, signal))
  }

  #keep(): undefined {
    this.kept++
  }

  #begun<T>(call: string, output?: T): T | undefined {
    this.ran++
    this.#live.add(call)
    return output
  }

  /** One object a session, as policy expects it. */
  #inCopy(session: CallSession): CallSession {
    const known = this.#sessions.get(session)
    if (known) return known
    const made = inCopy(session, this.#copy)
    this.#sessions.set(session, made)
    return made
  }

  /** Notes are in the log already, and what is too large for a message is not kept. */
  #context({ call, mode, session }: CheckedCall, signal: AbortSignal): CallContext {
    const [folder = '/spill'] = session.spillFolders
    return {
      call,
      cwd: this.#copy,
      mode,
      signal,
      seen: (path) => session.state(seen).get(this.#mapped(path, this.#copy, this.#cwd)),
      note: () => undefined,
      state: (fold) => session.state(fold),
      progress: () => undefined,
      spill: {
        open: async (name) => {
          return { path: join(folder, name), write: async () => undefined, close: async () => undefined }
        },
      },
    }
  }

  #mapped<T>(value: T, from: string, to: string): T {
    return mapped(value as Json, from, to) as T
  }
}

/** How long it took is told in some views, and is no difference. */
function timedAs({ view: was }: DataOf<'tool/result'>, output: ToolOutput): ToolOutput {
  if (!('view' in output) || !isMap(output.view) || !isMap(was)) return output
  if (typeof output.view['durationMs'] !== 'number' || typeof was['durationMs'] !== 'number') return output
  return { ...output, view: { ...output.view, durationMs: was['durationMs'] } }
}

/** Every text in a value, a path only where it ends there or goes on below. */
function mapped(value: unknown, from: string, to: string): unknown {
  if (typeof value === 'string') return value.replaceAll(pathIn(from), () => to)
  if (Array.isArray(value)) return value.map((item) => mapped(item, from, to))
  if (!isMap(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapped(item, from, to)]))
}

const pathIn = (path: string): RegExp =>
  new RegExp(`(?<![\\w.-])${path.replaceAll(/[^\w/-]/g, '\\$&')}(?![\\w-]|\\.\\w)`, 'g')
