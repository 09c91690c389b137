import { isBlank, saysSomething } from '../blank.ts'
import type { DataOf } from '../events/index.ts'
import type { Rule } from './rule.ts'

type Settled = DataOf<'request/settled'>

/** Replies in a row that the token limit may cut and that still go on. */
const cutsInARow = 2

/** Rule 6: a reply cut by the token limit runs none of its calls; the model is told, and goes on at most twice in a row. */
export const cutRepliesRunNothing: Rule = {
  rule: 6,
  watch() {
    const cut = new Set<string>()
    const dropped = new Set<string>()
    let row = 0
    let untold = false
    return {
      see(event, violated) {
        switch (event.type) {
          case 'turn/start':
            row = 0
            untold = false
            return
          case 'request/sent':
            if (event.data.kind !== 'step') return
            if (untold) violated('a reply was cut, and the model was not told which calls did not run')
            if (row > cutsInARow) violated(`the turn went on after ${row} cut replies in a row`)
            return
          case 'request/settled':
            if (event.data.finish?.reason === 'length') cut.add(event.data.id)
            for (const call of event.data.dropped) dropped.add(call.id)
            untold = event.data.finish?.reason === 'length' && event.data.dropped.length > 0
            if (event.data.outcome === 'completed') row = untold ? row + 1 : 0
            return
          case 'user/message':
            if (event.data.source.kind === 'context') untold = false
            return
          case 'assistant/message':
            if (cut.has(event.data.request) && event.data.content.some((block) => block.type === 'call'))
              violated(`the reply to ${event.data.request} was cut and still asks for calls`)
            return
          case 'tool/call':
            if (dropped.has(event.data.call)) violated(`dropped call ${event.data.call} ran`)
            return
          default:
            return
        }
      },
    }
  },
}

/** Rule 8: a reply that finished with nothing in it is an error, not a success. */
export const nothingIsNoSuccess: Rule = {
  rule: 8,
  watch() {
    const steps = new Set<string>()
    let done: Settled | undefined
    return {
      see(event, violated) {
        // A crash may fall between the settlement and its message; the turn is then closed as interrupted.
        const goesOn =
          event.type === 'request/sent' || (event.type === 'turn/end' && event.data.outcome !== 'interrupted')
        if (goesOn && done) violated(`request ${done.id} completed and no message came of it`)
        if (goesOn || event.type === 'turn/end') done = undefined
        if (event.type === 'request/sent' && event.data.kind === 'step') steps.add(event.data.id)
        if (event.type === 'request/settled')
          done = steps.has(event.data.id) && isSuccess(event.data) ? event.data : undefined
        if (event.type !== 'assistant/message') return
        if (event.data.request === done?.id) done = undefined
        if (!event.data.interrupted && !saysSomething(event.data.content))
          violated('a completed reply has nothing in it')
      },
    }
  },
}

const isSuccess = (data: Settled): boolean => data.outcome === 'completed' && data.finish?.reason !== 'length'

/** Rule 10: empty content never reaches the surface. */
export const noEmptyContent: Rule = {
  rule: 10,
  watch: () => ({
    see(event, violated) {
      if (event.type === 'system/message' && event.data.text.trim() === '') violated('the system text is empty')
      if (event.type === 'assistant/message' && event.data.content.every(isBlank)) violated('the reply is empty')
      if (event.type !== 'user/message' && event.type !== 'tool/result') return
      if (event.data.content.length === 0) violated(`${event.type} is empty`)
      for (const part of event.data.content) if (isBlank(part)) violated(`${event.type} has a blank text`)
    },
  }),
}

/** Rule 14: a model call ends in exactly one settlement, and a retry is two events in the same step. */
export const oneSettlementEach: Rule = {
  rule: 14,
  watch() {
    const open = new Set<string>()
    const known = new Set<string>()
    let retry: DataOf<'retry/scheduled'> | undefined
    return {
      see(event, violated) {
        if (event.type === 'request/sent') {
          if (known.has(event.data.id)) violated(`request id ${event.data.id} is used twice`)
          if (retry && event.data.kind === 'step') violated('a request was sent while a retry waited')
          known.add(event.data.id)
          open.add(event.data.id)
        }
        if (event.type === 'request/settled' && !open.delete(event.data.id))
          violated(`${event.data.id} was settled ${known.has(event.data.id) ? 'twice' : 'and never sent'}`)
        if (event.type === 'retry/scheduled') retry = event.data
        if (event.type === 'retry/started') {
          const { turn, step, attempt } = event.data
          if (retry?.turn !== turn || retry.step !== step || retry.attempt !== attempt)
            violated('a retry started that was not scheduled in this step')
          retry = undefined
        }
        if (event.type === 'step/end') {
          for (const id of open) violated(`the step ended and request ${id} is not settled`)
          open.clear()
        }
      },
    }
  },
}

/** Rule 15: the finish of the last model call is the turn's outcome. */
export const lastFinishIsOutcome: Rule = {
  rule: 15,
  watch() {
    const steps = new Set<string>()
    let last: Settled | undefined
    return {
      see(event, violated) {
        if (event.type === 'turn/start') last = undefined
        if (event.type === 'request/sent' && event.data.kind === 'step') steps.add(event.data.id)
        if (event.type === 'request/settled' && steps.has(event.data.id)) last = event.data
        if (event.type !== 'turn/end' || !last) return
        const { outcome } = event.data
        const cut = last.finish?.reason === 'length'
        if (outcome === 'completed' && (last.outcome !== 'completed' || cut))
          violated('the turn is completed, but its last model call is not')
        if (outcome === 'max-tokens' && !cut) violated('the turn is max-tokens, but its last reply was not cut')
      },
    }
  },
}
