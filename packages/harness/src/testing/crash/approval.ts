import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Store } from '@rein/session'
import type { Approval, Decision } from '../../tools/ports.ts'

/**
 * Calls of `ask` are asked about: odd labels are allowed and even ones denied by a person at this process, `ask9` is
 * allowed by an answer that another process posts.
 */
export function approvalIn(other: Store): Approval {
  return {
    needed: async ({ call }) => (call.name === 'ask' ? { what: `May it do ${call.arguments}?` } : undefined),
    ask: async ({ id, call }, signal): Promise<Decision> => {
      const number = Number(/\d+/.exec(call.call.arguments)?.[0])
      // A person takes longer than the question takes to the disk.
      await setImmediate()
      if (number !== 9) return { decision: number % 2 === 1 ? 'allowed-once' : 'denied', by: 'person' }
      const answer = { kind: 'answer', id: `answer-${id}`, to: id, answer: 'allowed-once', by: 'elsewhere' } as const
      await other.post(call.session.id, answer)
      return setTimeout(60_000, { decision: 'unanswered', by: 'nobody' }, { signal })
    },
  }
}
