import type { Result } from '@rein/session'
import { failed, fine } from '../files/trouble.ts'
import { resolvePlaceholders } from '../secret/placeholder.ts'

/** What a file tool needs to put back the secrets that were hidden from the model; a `Redactor` fits. */
export interface HiddenSecrets {
  /** What a scan of `text` finds: value by placeholder. */
  found(text: string): ReadonlyMap<string, string>
}

/**
 * Put back the secrets of the same file for their placeholders. One that stands in the file as text stays text; any
 * other fails `SECRET_PLACEHOLDER`, because its value belongs to another place. Without `secrets` nothing is hidden.
 */
export function unhide(text: string, file: string, secrets: HiddenSecrets | undefined): Result<string> {
  if (secrets === undefined || !text.includes('⟦secret:')) return fine(text)
  const { text: whole, unresolved } = resolvePlaceholders(text, secrets.found(file))
  const foreign = unresolved.find((mark) => !file.includes(mark))
  if (foreign === undefined) return fine(whole)
  const message = `${foreign} stands for a secret that is not in this file; it cannot be written here.`
  return failed(
    'SECRET_PLACEHOLDER',
    message,
    'Ask the person to put the value there, or read it from the environment.',
  )
}
