import type { SessionEvent } from '@rein/session'

/** A yes that came with a grant for the whole session is one answer of a person, and two events: the grant says it. */
export class GrantedAnswers {
  #granted = false

  /** Takes in the next event of a log. @returns whether the grant before it said the same to people. */
  repeats({ type, data }: SessionEvent): boolean {
    if (type === 'permission/grant')
      this.#granted = 'scope' in data && data.scope === 'session' && !('revoked' in data && data.revoked)
    if (type !== 'approval/decided') return false
    const granted = this.#granted
    this.#granted = false
    return granted && 'decision' in data && data.decision === 'allowed-once' && data.by === 'person'
  }
}
