import { fold } from '../fold.ts'
import { type Owed, owed } from '../folds/owed.ts'
import type { Rule } from './rule.ts'

/** Rule 13: whatever opens closes; what belongs to a turn closes inside it. */
export const whatOpensCloses: Rule = {
  rule: 13,
  watch() {
    let state: Owed = fold(owed, [])
    let turn: number | undefined
    let step: number | undefined
    let lastTurn = 0
    return {
      see(event, violated) {
        state = owed.step(state, event)
        switch (event.type) {
          case 'turn/start':
            if (turn !== undefined) violated(`turn ${event.data.turn} started inside turn ${turn}`)
            if (event.data.turn !== lastTurn + 1) violated(`turn ${event.data.turn} follows turn ${lastTurn}`)
            turn = event.data.turn
            lastTurn = turn
            return
          case 'step/start':
            if (turn !== event.data.turn || step !== undefined) violated(`step ${event.data.step} starts out of place`)
            step = event.data.step
            return
          case 'step/end':
            if (step !== event.data.step) violated(`step ${event.data.step} ends and did not start`)
            step = undefined
            return
          case 'turn/end':
            if (turn !== event.data.turn) violated(`turn ${event.data.turn} ends and did not start`)
            if (step !== undefined) violated(`turn ${event.data.turn} ends inside step ${step}`)
            for (const what of openIn(state)) violated(`turn ${event.data.turn} ends with ${what} open`)
            turn = undefined
            step = undefined
            return
          default:
            return
        }
      },
    }
  },
}

/** What may not outlive its turn; jobs and child agents may. */
function openIn(state: Owed): string[] {
  return [
    ...state.requests.map((id) => `request ${id}`),
    ...(state.retry ? ['a retry'] : []),
    ...state.approvals.map(({ id }) => `approval ${id}`),
    ...state.questions.map((id) => `question ${id}`),
    ...state.calls.map(({ call }) => `call ${call.id}`),
  ]
}
