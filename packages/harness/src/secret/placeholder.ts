/** What a placeholder may say it stands for. `registered`: a value that was used for authentication here. */
export const kinds = [
  'registered',
  'api-key',
  'github-token',
  'gitlab-token',
  'aws-key',
  'slack-token',
  'google-key',
  'npm-token',
  'private-key',
  'jwt',
  'url-password',
] as const

export type SecretKind = (typeof kinds)[number]

/** A secret as everybody but its owner sees it. `mark` is six hexadecimal digits, the same for the same value. */
export const placeholder = (kind: SecretKind, mark: string): string => `⟦secret:${kind}:${mark}⟧`

const anyPlaceholder = /⟦secret:[a-z-]+:[0-9a-f]{6}⟧/g

/** Every placeholder in `text`, in order, each once. */
export const placeholdersIn = (text: string): readonly string[] => [...new Set(text.match(anyPlaceholder) ?? [])]

/**
 * Put values back for the placeholders in `text`.
 * @param values what a fresh scan of the file at hand found; a placeholder from anywhere else stays unresolved.
 * @returns the text, and the placeholders nothing was found for: with any of those the call is refused.
 */
export function resolvePlaceholders(
  text: string,
  values: ReadonlyMap<string, string>,
): { readonly text: string; readonly unresolved: readonly string[] } {
  const unresolved = placeholdersIn(text).filter((mark) => !values.has(mark))
  return { text: text.replace(anyPlaceholder, (mark) => values.get(mark) ?? mark), unresolved }
}
