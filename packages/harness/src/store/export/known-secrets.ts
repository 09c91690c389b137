import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse, YAMLParseError } from 'yaml'
import { withholdSecrets } from '../../secret/environment.ts'
import { secretKey } from '../../secret/key.ts'
import { redactor } from '../../secret/redact.ts'
import { RegisteredSecrets } from '../../secret/registered.ts'
import { isAbsent } from '../disk-failure.ts'

/** The key of the placeholders of a home; read, or made, when the first one is needed. */
export const placeholderKey = (home: string): (() => Uint8Array) => secretKey(join(home, 'secret-key'))

/**
 * Hides what this machine knows to be secret, whatever a log was written with: the values of variables that are kept
 * from processes, the keys of `credentials.yaml`, and everything in a known key format.
 * @param home `$REIN_HOME`, absolute.
 */
export async function knownSecrets(
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<(text: string) => string> {
  const registered = new RegisteredSecrets()
  const withhold = withholdSecrets(() => [])
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && withhold(name, value)) registered.add(value.trim())
  for (const value of await credentials(join(home, 'credentials.yaml'))) registered.add(value)
  return redactor({ key: placeholderKey(home), registered, formats: true }).text
}

/** The keys in the file, as far as it can be read: whoever uses them checks more. */
async function credentials(path: string): Promise<readonly string[]> {
  try {
    const found: unknown = parse(await readFile(path, 'utf8'))
    if (typeof found !== 'object' || found === null) return []
    return Object.values(found).flatMap((value: unknown) => (typeof value === 'string' ? [value.trim()] : []))
  } catch (cause) {
    if (isAbsent(cause) || cause instanceof YAMLParseError) return []
    throw cause
  }
}
