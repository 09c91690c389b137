import type { Json } from '@rein/session'

/** Why something is refused, for programs; `reason` says it to people and to the model. */
export type DenyCode = 'READ_ONLY' | 'OUTSIDE_WORKSPACE' | 'PROTECTED_PATH' | 'UNRESOLVABLE' | 'UNCONFINED'

/** What a check says about one access, or about a whole call. */
export type Verdict =
  | { readonly kind: 'allow' }
  | { readonly kind: 'deny'; readonly code: DenyCode; readonly by: string; readonly reason: string }
  /** A person decides. `what` is the sentence, `detail` is for the dialog. */
  | { readonly kind: 'ask'; readonly what: string; readonly detail: Json }

export const allow: Verdict = { kind: 'allow' }
