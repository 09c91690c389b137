/**
 * A command as a person must see it before deciding: characters that are invisible, or that move or turn what follows,
 * are written as escapes, and long stretches of blanks, which push the rest out of sight, as their length.
 */
export function shown(command: string): string {
  return command
    .replaceAll(
      /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\u00a0\u115f\u1160\u2000-\u200a\u202f\u205f\u2800\u3000\u3164\uffa0]/gu,
      (char) => (char === '\n' || char === '\t' ? char : escaped(char)),
    )
    .replaceAll(/\t{2,}/g, (run) => ` \\t{${run.length}} `)
    .replaceAll(/ {9,}/g, (run) => ` [${run.length} blanks] `)
    .replaceAll(/\n{4,}/g, (run) => `\n[${run.length} line ends]\n`)
}

const escaped = (char: string): string => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`
