import type { DataOf, EventNamed } from '../events/index.ts'
import type { Rule } from './rule.ts'

type Settled = DataOf<'request/settled'>

/** Rule 6: a reply cut by the token limit runs none of its calls. */
export const cutRepliesRunNothing: Rule = {
  rule: 6,
  watch() {
    const cut = new Set<string>()
    const dropped = new Set<string>()
    return {
      see(event, violated) {
        if (event.type === 'request/settled') {
          if (event.data.finish?.reason === 'length') cut.add(event.data.id)
          for (const call of event.data.dropped) dropped.add(call.id)
        }
        if (event.type === 'assistant/message' && cut.has(event.data.request))
          if (event.data.content.some((block) => block.type === 'call'))
            violated(`the reply to ${event.data.request} was cut and still asks for calls`)
        if (event.type === 'tool/call' && dropped.has(event.data.call)) violated(`dropped call ${event.data.call} ran`)
      },
    }
  },
}

/** Rule 8: a reply that finished with nothing in it is an error, not a success. */
export const nothingIsNoSuccess: Rule = {
  rule: 8,
  watch() {
    let done: Settled | undefined
    return {
      see(event, violated) {
        // A crash may fall between the settlement and its message; the turn is then closed as interrupted.
        const goesOn =
          event.type === 'request/sent' || (event.type === 'turn/end' && event.data.outcome !== 'interrupted')
        if (goesOn && done) violated(`request ${done.id} completed and no message came of it`)
        if (goesOn || event.type === 'turn/end') done = undefined
        if (event.type === 'request/settled') done = isSuccess(event.data) ? event.data : undefined
        if (event.type !== 'assistant/message') return
        if (event.data.request === done?.id) done = undefined
        if (!event.data.interrupted && isEmpty(event)) violated('a completed reply has nothing in it')
      },
    }
  },
}

const isSuccess = (data: Settled): boolean => data.outcome === 'completed' && data.finish?.reason !== 'length'

const isEmpty = (event: EventNamed<'assistant/message'>): boolean =>
  !event.data.content.some((block) => block.type === 'call' || (block.type === 'text' && block.text.trim() !== ''))

/** Rule 10: empty content never reaches the surface. */
export const noEmptyContent: Rule = {
  rule: 10,
  watch: () => ({
    see(event, violated) {
      if (event.type === 'system/message' && event.data.text.trim() === '') violated('the system text is empty')
      if (event.type !== 'user/message' && event.type !== 'tool/result') return
      if (event.data.content.length === 0) violated(`${event.type} is empty`)
      for (const part of event.data.content)
        if (part.type === 'text' && part.text.trim() === '') violated(`${event.type} has a blank text`)
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
    let last: Settled | undefined
    return {
      see(event, violated) {
        if (event.type === 'turn/start') last = undefined
        if (event.type === 'request/settled') last = event.data
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
