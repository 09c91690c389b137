import type { Header } from '../events/request.ts'
import type { Fold } from '../fold.ts'

/** The header in force and the event it stands in. Rewinding the conversation does not change the model. */
export const header: Fold<{ readonly seq: number; readonly header: Header } | undefined> = {
  rewinds: false,
  initial: undefined,
  step: (state, event) => (event.type === 'request/header' ? { seq: event.seq, header: event.data } : state),
}
