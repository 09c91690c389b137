import type { RegisteredSecrets } from './registered.ts'

/**
 * From where on the end of `text` may turn out to be a registered value once more follows. What stands before is
 * hidden the same way whether it is read alone or with what follows: text that comes in pieces is hidden piece by piece.
 * @returns `text.length` when its end can be no beginning of a secret.
 */
export function openEnd(text: string, registered: RegisteredSecrets): number {
  const spellings = [...registered.spelled()].map(({ spelling }) => spelling)
  for (let from = 0; ; ) {
    const begun = beginsAt(text, from, spellings)
    const found = firstIn(text, from, spellings)
    // A longer value may begin where a shorter one stands: that one waits too.
    if (!found || begun <= found.at) return begun
    from = found.at + found.length
  }
}

/** Where the rest of the text is the beginning of a spelling, and not yet all of it. */
function beginsAt(text: string, from: number, spellings: readonly string[]): number {
  const longest = spellings.reduce((most, { length }) => Math.max(most, length), 0)
  for (let at = Math.max(from, text.length - longest + 1); at < text.length; at++) {
    const rest = text.slice(at)
    if (spellings.some((spelling) => spelling.length > rest.length && spelling.startsWith(rest))) return at
  }
  return text.length
}

/** The first spelling that stands in the text whole; of several at one place the longest, as in `redactor`. */
function firstIn(text: string, from: number, spellings: readonly string[]) {
  let first: { readonly at: number; readonly length: number } | undefined
  for (const { at, length } of spellings.map((one) => ({ at: text.indexOf(one, from), length: one.length }))) {
    if (at < 0) continue
    if (!first || at < first.at || (at === first.at && length > first.length)) first = { at, length }
  }
  return first
}
