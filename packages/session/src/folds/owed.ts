import type { CallBlock } from '../events/content.ts'
import type { Fold } from '../fold.ts'
import { SharedMap } from '../shared.ts'

/** Everything that was opened and not yet closed, in the order it opened. What a crash leaves is exactly this. */
export interface Owed {
  /** Calls without a result, in the model's order; `started` is the seq of `tool/call`. */
  readonly calls: readonly { readonly call: CallBlock; readonly message: number; readonly started?: number }[]
  /** Requests without a settlement. */
  readonly requests: readonly string[]
  readonly retry: { readonly turn: number; readonly step: number; readonly attempt: number } | undefined
  readonly approvals: readonly { readonly id: string; readonly call: string }[]
  readonly questions: readonly string[]
  readonly compactions: readonly string[]
  readonly commands: readonly string[]
  readonly jobs: readonly string[]
  readonly agents: readonly string[]
  /** Every call id the session ever used. */
  readonly callIds: SharedMap<string, true>
}

const none: Owed = {
  calls: [],
  requests: [],
  retry: undefined,
  approvals: [],
  questions: [],
  compactions: [],
  commands: [],
  jobs: [],
  agents: [],
  callIds: SharedMap.empty(),
}

const without = <T>(list: readonly T[], gone: (item: T) => boolean): readonly T[] =>
  list.some(gone) ? list.filter((item) => !gone(item)) : list

/** A rewind closes nothing: what ran, ran. */
export const owed: Fold<Owed> = {
  rewinds: false,
  initial: none,
  step(state, event) {
    switch (event.type) {
      case 'assistant/message': {
        const calls = event.data.content.filter((block) => block.type === 'call')
        if (calls.length === 0) return state
        let callIds = state.callIds
        for (const call of calls) callIds = callIds.set(call.id, true)
        return { ...state, callIds, calls: [...state.calls, ...calls.map((call) => ({ call, message: event.seq }))] }
      }
      case 'tool/call':
        return {
          ...state,
          calls: state.calls.map((open) => (open.call.id === event.data.call ? { ...open, started: event.seq } : open)),
        }
      case 'tool/result':
        return event.surface === 'append'
          ? { ...state, calls: without(state.calls, (open) => open.call.id === event.data.call) }
          : state
      case 'request/sent':
        return { ...state, requests: [...state.requests, event.data.id] }
      case 'request/settled':
        return { ...state, requests: without(state.requests, (id) => id === event.data.id) }
      case 'retry/scheduled':
        return { ...state, retry: { turn: event.data.turn, step: event.data.step, attempt: event.data.attempt } }
      case 'retry/started':
        return { ...state, retry: undefined }
      case 'approval/asked':
        return { ...state, approvals: [...state.approvals, { id: event.data.id, call: event.data.call }] }
      case 'approval/decided':
        return { ...state, approvals: without(state.approvals, (open) => open.id === event.data.id) }
      case 'question/asked':
        return { ...state, questions: [...state.questions, event.data.id] }
      case 'question/answered':
        return { ...state, questions: without(state.questions, (id) => id === event.data.id) }
      case 'compaction/start':
        return { ...state, compactions: [...state.compactions, event.data.id] }
      case 'compaction/end':
        return { ...state, compactions: without(state.compactions, (id) => id === event.data.id) }
      case 'command/run':
        return { ...state, commands: [...state.commands, event.data.id] }
      case 'command/done':
        return { ...state, commands: without(state.commands, (id) => id === event.data.id) }
      case 'job/start':
        return { ...state, jobs: [...state.jobs, event.data.id] }
      case 'job/end':
        return { ...state, jobs: without(state.jobs, (id) => id === event.data.id) }
      case 'agent/spawned':
        return { ...state, agents: [...state.agents, event.data.id] }
      case 'agent/settled':
        return { ...state, agents: without(state.agents, (id) => id === event.data.id) }
      default:
        return state
    }
  },
}
