import type { Failure, Finish, Json, Usage } from '@rein/session'

/**
 * One piece of a reply, the same for every dialect. `block` is the decoder's own number (rule 5): it never repeats
 * in one reply, whatever the wire's index says. Usage comes before finish, and nothing comes after finish or failed.
 */
export type Chunk =
  /** The server was reached / its first byte arrived; only for timing. */
  | { readonly kind: 'moment'; readonly at: 'connected' | 'first-byte' }
  | { readonly kind: 'text'; readonly block: number; readonly text: string }
  | { readonly kind: 'reasoning'; readonly block: number; readonly text: string; readonly signature?: string }
  /** Opens a call, or adds to what is known of it. */
  | { readonly kind: 'call'; readonly block: number; readonly id?: string; readonly name?: string }
  | { readonly kind: 'arguments'; readonly block: number; readonly text: string }
  | { readonly kind: 'private'; readonly block: number; readonly data: Json }
  /** The first close of a block wins. */
  | { readonly kind: 'close'; readonly block: number }
  /** The last usage wins; it is never added up. */
  | { readonly kind: 'usage'; readonly usage: Usage }
  | { readonly kind: 'finish'; readonly finish: Finish }
  | { readonly kind: 'failed'; readonly failure: Failure }
