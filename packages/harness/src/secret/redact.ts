import { createHmac } from 'node:crypto'
import { formats } from './formats.ts'
import { replaceKeys } from './pem.ts'
import { placeholder, type SecretKind } from './placeholder.ts'
import type { RegisteredSecrets } from './registered.ts'

/** Replaces secrets by placeholders. Doing it twice changes nothing. */
export interface Redactor {
  /** @returns the same string when there is nothing to hide. */
  text(text: string): string
  /** Every string in a value that is JSON, keys included. Returns the same value when there is nothing to hide. */
  content<T>(content: T): T
  /** What a scan of `text` finds: value by placeholder. How a file tool resolves a placeholder against its file. */
  found(text: string): ReadonlyMap<string, string>
}

export interface RedactorOptions {
  /** Key of the marks, read when the first secret is met; the same key gives the same placeholders in every session. */
  readonly key: () => Uint8Array
  readonly registered: RegisteredSecrets
  /** Also hide what only looks like a secret. For tool results and posts; false where only registered values count. */
  readonly formats: boolean
}

type Note = (placeholder: string, value: string) => void

export function redactor({ key, registered, formats: withFormats }: RedactorOptions): Redactor {
  const known = knownValues(registered)
  const hide = (kind: SecretKind, value: string, note?: Note) => {
    const mark = placeholder(kind, createHmac('sha256', key()).update(value).digest('hex').slice(0, 6))
    note?.(mark, value)
    return mark
  }
  const redact = (text: string, note?: Note) => {
    const { pattern, values } = known()
    const safe = pattern
      ? text.replace(pattern, (spelling) => hide('registered', values.get(spelling) ?? spelling, note))
      : text
    return withFormats ? hideFormats(safe, (kind, value) => hide(kind, value, note)) : safe
  }
  return {
    text: (text) => redact(text),
    content: <T>(content: T): T => mapStrings(content, (text) => redact(text)) as T,
    found(text) {
      const values = new Map<string, string>()
      redact(text, (mark, value) => values.set(mark, value))
      return values
    },
  }
}

function hideFormats(text: string, hide: (kind: SecretKind, value: string) => string): string {
  let safe = text.includes('PRIVATE KEY-----') ? replaceKeys(text, (key) => hide('private-key', key)) : text
  for (const { kind, hint, pattern } of formats) {
    if (!safe.includes(hint)) continue
    safe = safe.replace(pattern, (match: string, ...rest: unknown[]) => {
      const keep = keptPart(rest.at(-1))
      return keep + hide(kind, match.slice(keep.length))
    })
  }
  return safe
}

/** The named groups are the last argument of a replacer, when the pattern has any. */
function keptPart(groups: unknown): string {
  if (typeof groups !== 'object' || groups === null || !('keep' in groups)) return ''
  return typeof groups.keep === 'string' ? groups.keep : ''
}

interface Known {
  readonly pattern: RegExp | undefined
  readonly values: ReadonlyMap<string, string>
}

/** One pattern for every spelling of every registered value, compiled again only after a value was added. */
function knownValues(registered: RegisteredSecrets): () => Known {
  let version = -1
  let known: Known = { pattern: undefined, values: new Map() }
  return () => {
    if (version === registered.version) return known
    version = registered.version
    const values = new Map<string, string>()
    for (const { value, spelling } of registered.spelled()) values.set(spelling, value)
    // The longest first: of two secrets, one of which begins with the other, no end may stay behind.
    const spellings = [...values.keys()].sort((a, b) => b.length - a.length)
    const pattern = spellings.length > 0 ? new RegExp(spellings.map(escaped).join('|'), 'g') : undefined
    known = { pattern, values }
    return known
  }
}

// RegExp.escape is missing on the oldest Node that is supported.
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

function mapStrings(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value)
  if (typeof value !== 'object' || value === null) return value
  if (isList(value)) {
    const items = value.map((item) => mapStrings(item, map))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  const fields: readonly [string, unknown][] = Object.entries(value)
  const safe = fields.map(([key, field]): [string, unknown] => [map(key), mapStrings(field, map)])
  const changed = safe.some(([key, field], index) => key !== fields[index]?.[0] || field !== fields[index]?.[1])
  return changed ? Object.fromEntries(safe) : value
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)
