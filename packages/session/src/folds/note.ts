import type { Json } from '../events/content.ts'
import type { Fold } from '../fold.ts'

/** A state of a plugin's own, folded from its notes alone: todo lists, goals and hook records are made this way. */
export function noteFold<S>(options: {
  /** The plugin whose notes these are. */
  readonly plugin: string
  readonly initial: S
  /** Whether a rewind takes this state back. */
  readonly rewinds: boolean
  /** `v` is the version the note was written under; a note it cannot read is answered with `state`. */
  step(state: S, note: { readonly kind: string; readonly v: number; readonly data: Json }): S
}): Fold<S> {
  return {
    rewinds: options.rewinds,
    initial: options.initial,
    step: (state, event) =>
      event.type === 'plugin/note' && event.data.plugin === options.plugin ? options.step(state, event.data) : state,
  }
}
