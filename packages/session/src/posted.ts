import { item } from './events/parts.ts'
import { type Check, json, object, oneOf, optional, text, variant } from './shape.ts'
import type { Posted } from './store.ts'

const check: Check<Posted> = variant<Posted, 'kind'>('kind', {
  input: (value) => object<{ kind: 'input' }>({ kind: oneOf('input') })(value) ?? item(value),
  answer: object({ kind: oneOf('answer'), id: text, to: text, answer: json, by: text }),
  cancel: object({ kind: oneOf('cancel'), id: text, item: optional(text) }),
})

/**
 * What is wrong with an item as anybody may post it, in words, or undefined. Every store asks before it takes one in, and
 * one that others can write to asks again before it hands one out: a writer appends what it is given.
 */
export const faultOfPosted = (value: unknown): string | undefined => check(value)
