import { Around, Guard, Registry, seam, service } from '@rein/kernel'
import type { DataOf, Fold, Json, PermissionMode } from '@rein/session'
import type { Access, Call, Tool, ToolOutput } from './definition.ts'

/** The session a call belongs to, as guards may look at it. One object a session. */
export interface CallSession {
  readonly id: string
  /** Absolute. */
  readonly cwd: string
  /** Folders of spilled outputs its messages name, absolute: its own, and in a fork those of its ancestors. */
  readonly spillFolders: readonly string[]
  state<S>(fold: Fold<S>): S
}

/** One call, validated, as guards, wrappers and approval see it. Nobody can change its arguments. */
export interface CheckedCall {
  readonly call: Call
  /** Parsed arguments. */
  readonly args: Json
  readonly effects: 'none' | 'some'
  readonly accesses: readonly Access[]
  readonly mode: PermissionMode
  readonly session: CallSession
  /** One line for people. */
  readonly title: string
}

export interface ApprovalAsk {
  /** The sentence a person decides on. */
  readonly what: string
  readonly detail?: Json
}

export type Decision = Omit<DataOf<'approval/decided'>, 'id'>

/** Whether a call needs a person's answer, and how to get one. Only `allowed-once` allows (rule 11). */
export interface Approval {
  /** What to ask about a call that no guard refused; undefined when nothing needs asking. */
  needed(call: CheckedCall): Promise<ApprovalAsk | undefined>
  /** Get one answer. A throw, a timeout and no answerer are a no. Stops when `signal` aborts. */
  ask(asked: ApprovalAsk & { readonly id: string; readonly call: CheckedCall }, signal: AbortSignal): Promise<Decision>
}

export const ApprovalPort = seam<Approval>('approval')

/** The tools of an agent and the two hooks around every call. */
export class ToolSet {
  readonly tools: Registry<Tool>
  /** Checks that can only refuse. Registered by plugins, policy of the harness included. */
  readonly guardCall: Guard<CheckedCall>
  /** Wraps the run of one call, after guards and approval. */
  readonly aroundCall: Around<CheckedCall, ToolOutput>

  /** @param parent lends its tools; guards and wrappers of the parent are the parent's own. */
  constructor(parent?: ToolSet) {
    this.tools = new Registry<Tool>('tools', parent?.tools)
    this.guardCall = parent?.guardCall ?? new Guard<CheckedCall>()
    this.aroundCall = parent?.aroundCall ?? new Around<CheckedCall, ToolOutput>()
  }
}

export const Tools = service<ToolSet>('tools')
