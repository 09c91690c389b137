/** A private key as RFC 7468 writes it. */
const begin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----/g
/** Where its last line begins, and what that line is. */
const end = /(?=(-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----))-----END /g
/** Lines that look like base64: of a block whose end was cut off by a window this is what there is. */
const cutOff = /(?:(?:\r?\n|\\r|\\n)[^\n\\]{0,16}?[A-Za-z0-9+/=]{16,128}[ \t]{0,8}){0,400}/y
/** Characters between the first and the last line. */
const longest = 16_384

/**
 * Replace every private key, from its first line to the nearest last one. Last lines are looked for once, however many
 * first lines there are: text of nothing but first lines takes no longer than any other.
 */
export function replaceKeys(text: string, hide: (key: string) => string): string {
  const ends = [...text.matchAll(end)].map(({ index, 1: line = '' }) => ({ at: index, until: index + line.length }))
  const parts: string[] = []
  let done = 0
  let next = 0
  for (let found = firstFrom(text, 0); found; found = firstFrom(text, done)) {
    const { index } = found
    const from = index + found[0].length
    while ((ends[next]?.at ?? from) < from) next++
    const near = ends[next]
    const until = near && near.at - from <= longest ? near.until : afterLines(text, from)
    parts.push(text.slice(done, index), hide(text.slice(index, until)))
    done = until
  }
  return parts.join('') + text.slice(done)
}

function firstFrom(text: string, at: number): RegExpExecArray | null {
  begin.lastIndex = at
  return begin.exec(text)
}

function afterLines(text: string, from: number): number {
  cutOff.lastIndex = from
  return from + (cutOff.exec(text)?.[0].length ?? 0)
}
