import type { SessionEvent } from '../events/index.ts'
import { type Owed, owed } from '../folds/owed.ts'
import type { Rule } from './rule.ts'

/** Rule 13: whatever opens closes; what belongs to a turn closes inside it, and nothing closes that is not open. */
export const whatOpensCloses: Rule = {
  rule: 13,
  watch() {
    let state: Owed = owed.initial
    let left: readonly string[] = []
    const places = new Places()
    return {
      see(event, violated) {
        const before = state
        state = owed.step(state, event)
        const closed = closes(event)
        if (closed !== undefined && state === before) violated(`${event.type} closes ${closed}, which is not open`)
        places.see(event, violated)
        if (event.type === 'turn/end')
          for (const what of openIn(state)) violated(`turn ${event.data.turn} ends with ${what} open`)
        // What was open when a process died is closed before anything new begins.
        if (event.type === 'session/resume' || event.type === 'session/fork') left = workIn(state)
        if (event.type !== 'turn/start') return
        const still = new Set(workIn(state))
        for (const what of left) if (still.has(what)) violated(`${what} was left open by a process that is gone`)
        left = []
      },
    }
  },
}

/** Turns and steps: one at a time, counted without gaps, steps inside turns. */
class Places {
  #turn: number | undefined
  #step: number | undefined
  #lastTurn = 0
  #lastStep = 0

  see(event: SessionEvent, violated: (what: string) => void): void {
    switch (event.type) {
      case 'turn/start':
        if (this.#turn !== undefined) violated(`turn ${event.data.turn} started inside turn ${this.#turn}`)
        if (event.data.turn !== this.#lastTurn + 1) violated(`turn ${event.data.turn} follows turn ${this.#lastTurn}`)
        this.#turn = event.data.turn
        this.#lastTurn = this.#turn
        this.#lastStep = 0
        return
      case 'step/start':
        if (this.#turn !== event.data.turn || this.#step !== undefined || event.data.step !== this.#lastStep + 1)
          violated(`step ${event.data.step} starts out of place`)
        this.#step = event.data.step
        this.#lastStep = this.#step
        return
      case 'step/end':
        if (this.#step !== event.data.step) violated(`step ${event.data.step} ends and did not start`)
        this.#step = undefined
        return
      case 'turn/end':
        if (this.#turn !== event.data.turn) violated(`turn ${event.data.turn} ends and did not start`)
        if (this.#step !== undefined) violated(`turn ${event.data.turn} ends inside step ${this.#step}`)
        this.#turn = undefined
        this.#step = undefined
        return
      default:
        return
    }
  }
}

/** What an event closes, for those whose opening has no rule of its own. */
function closes(event: SessionEvent): string | undefined {
  switch (event.type) {
    case 'approval/decided':
    case 'question/answered':
    case 'compaction/end':
    case 'command/done':
    case 'job/end':
    case 'agent/settled':
      return event.data.id
    case 'retry/started':
      return `attempt ${event.data.attempt}`
    default:
      return undefined
  }
}

/** What may not outlive its turn. */
function openIn(state: Owed): string[] {
  return [
    ...state.requests.map((id) => `request ${id}`),
    ...(state.retry ? ['a retry'] : []),
    ...state.approvals.map((id) => `approval ${id}`),
    ...state.questions.map((id) => `question ${id}`),
    ...state.calls.map(({ call }) => `call ${call.id}`),
    ...state.compactions.map((id) => `compaction ${id}`),
  ]
}

/** What may, but not its process. */
function workIn(state: Owed): string[] {
  return [
    ...state.commands.map((id) => `command ${id}`),
    ...state.jobs.map((id) => `job ${id}`),
    ...state.agents.map((id) => `child ${id}`),
    ...state.compactions.map((id) => `compaction ${id}`),
  ]
}
