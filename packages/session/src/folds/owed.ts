import type { CallBlock } from '../events/content.ts'
import type { EventNamed } from '../events/index.ts'
import type { Fold } from '../fold.ts'
import { SharedMap } from '../shared.ts'

/** Everything that was opened and not yet closed, in the order it opened. What a crash leaves is exactly this. */
export interface Owed {
  /** Calls without a result, in the model's order; `started` is the seq of `tool/call`. */
  readonly calls: readonly { readonly call: CallBlock; readonly started?: number }[]
  /** Requests without a settlement. */
  readonly requests: readonly string[]
  readonly retry: { readonly turn: number; readonly step: number; readonly attempt: number } | undefined
  readonly approvals: readonly string[]
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

/** The same state when the list holds none of `id`: closing what is not open changes nothing. */
function close<K extends 'requests' | 'approvals' | 'questions' | 'compactions' | 'commands' | 'jobs' | 'agents'>(
  state: Owed,
  list: K,
  id: string,
): Owed {
  return state[list].includes(id) ? { ...state, [list]: state[list].filter((open) => open !== id) } : state
}

/** A rewind closes nothing: what ran, ran. */
export const owed: Fold<Owed> = {
  rewinds: false,
  initial: none,
  step(state, event) {
    switch (event.type) {
      case 'assistant/message':
        return askedFor(state, event)
      case 'tool/call':
        return begun(state, event.data.call, event.seq)
      case 'tool/result':
        return event.surface === 'append' ? answered(state, event.data.call) : state
      case 'request/sent':
        return { ...state, requests: [...state.requests, event.data.id] }
      case 'request/settled':
        return close(state, 'requests', event.data.id)
      case 'retry/scheduled':
        return { ...state, retry: { turn: event.data.turn, step: event.data.step, attempt: event.data.attempt } }
      case 'retry/started':
        return state.retry ? { ...state, retry: undefined } : state
      case 'approval/asked':
        return { ...state, approvals: [...state.approvals, event.data.id] }
      case 'approval/decided':
        return close(state, 'approvals', event.data.id)
      case 'question/asked':
        return { ...state, questions: [...state.questions, event.data.id] }
      case 'question/answered':
        return close(state, 'questions', event.data.id)
      case 'compaction/start':
        return { ...state, compactions: [...state.compactions, event.data.id] }
      case 'compaction/end':
        return close(state, 'compactions', event.data.id)
      case 'command/run':
        return { ...state, commands: [...state.commands, event.data.id] }
      case 'command/done':
        return close(state, 'commands', event.data.id)
      case 'job/start':
        return { ...state, jobs: [...state.jobs, event.data.id] }
      case 'job/end':
        return close(state, 'jobs', event.data.id)
      case 'agent/spawned':
        return { ...state, agents: [...state.agents, event.data.id] }
      case 'agent/settled':
        return close(state, 'agents', event.data.id)
      default:
        return state
    }
  },
}

function askedFor(state: Owed, { data }: EventNamed<'assistant/message'>): Owed {
  const calls = data.content.filter((block) => block.type === 'call')
  if (calls.length === 0) return state
  const callIds = calls.reduce((ids, call) => ids.set(call.id, true), state.callIds)
  return { ...state, callIds, calls: [...state.calls, ...calls.map((call) => ({ call }))] }
}

/** The oldest call of that id: a log of somebody else may repeat one. */
function begun(state: Owed, id: string, seq: number): Owed {
  const at = state.calls.findIndex((open) => open.call.id === id && open.started === undefined)
  const open = state.calls[at]
  return open ? { ...state, calls: state.calls.with(at, { ...open, started: seq }) } : state
}

function answered(state: Owed, id: string): Owed {
  const at = state.calls.findIndex((open) => open.call.id === id)
  return at < 0 ? state : { ...state, calls: state.calls.toSpliced(at, 1) }
}
