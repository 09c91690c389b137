import type { Result } from '@rein/session'
import { redactor } from '../../secret/redact.ts'
import { RegisteredSecrets, shortestSecret } from '../../secret/registered.ts'

/** Shortest value that can be taken out of a session, in UTF-16 units: a shorter one stands everywhere. */
export const shortestValue = 4

/** Takes values a person named out of texts and bytes. */
export interface ValueHider {
  /** Gives the same text back when no value is in it, in whatever spelling. */
  text(text: string): string
  /** Whether any value stands in bytes that may be no text. */
  within(bytes: Uint8Array): boolean
  /** What stands for the values, in their order. */
  readonly placeholders: readonly string[]
}

/**
 * Hides values as they are, and as they stand in JSON however deep and however it escapes them, in addresses, and in
 * base64. The placeholder is that of the format the value has, else of a registered secret; the same in every session.
 * Fails `USAGE` for a value that is too short.
 * @param key of the placeholders' marks.
 */
export function hideValues(values: readonly string[], key: () => Uint8Array): Result<ValueHider> {
  const short = values.find((value) => value.length < shortestValue || value.trim() === '')
  if (short !== undefined || values.length === 0) return { ok: false, failure: tooShort(values.length) }
  const known = values.map((value) => ({ placeholder: placeholderOf(value, key), pattern: patternOf(value) }))
  // The longest first: of two values, one of which holds the other, no end may stay behind.
  const order = known.map((_, index) => index).sort((a, b) => (values[b]?.length ?? 0) - (values[a]?.length ?? 0))
  const text = (from: string): string => {
    let safe = from
    for (const index of order) {
      const value = known[index]
      if (value) safe = safe.replace(value.pattern, () => value.placeholder)
    }
    return safe
  }
  const within = (bytes: Uint8Array): boolean => {
    const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    return values.some((value) => raw.includes(value)) || text(raw.toString('latin1')) !== raw.toString('latin1')
  }
  return { ok: true, value: { text, within, placeholders: known.map(({ placeholder }) => placeholder) } }
}

const tooShort = (given: number) =>
  ({
    code: 'USAGE',
    message: given === 0 ? 'no value was given' : `a value to remove has at least ${shortestValue} characters`,
    next: 'Give the whole value: whatever holds it is found too.',
  }) as const

/** The placeholder the value would have had if it had been known when it was logged. */
function placeholderOf(value: string, key: () => Uint8Array): string {
  const registered = new RegisteredSecrets()
  const asFormat = redactor({ key, registered, formats: true }).text(value)
  if (/^⟦secret:[a-z-]+:[0-9a-f]{6}⟧$/.test(asFormat)) return asFormat
  // A value too short to be registered is given the mark of a longer one that is made of it.
  const long = value.length < shortestSecret ? value.padEnd(shortestSecret, '\0') : value
  registered.add(long)
  const mark = redactor({ key, registered, formats: false }).text(long)
  return mark === long ? '⟦secret:registered:000000⟧' : mark
}

function patternOf(value: string): RegExp {
  const registered = new RegisteredSecrets()
  const encoded = registered.add(value) ? [...registered.spelled()].map(({ spelling }) => quoted(spelling)) : []
  return new RegExp([anySpelling(value), ...encoded].join('|'), 'g')
}

/** Most backslashes that one escape may have: a JSON text inside others doubles them each time. */
const escapes = '\\\\{1,32}'

const shortEscapes: Readonly<Record<string, string>> = { '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f' }

/** Each character as itself, as any JSON escape of it, or percent-encoded. */
function anySpelling(value: string): string {
  // A run of backslashes is one part, or a hostile text could make the search slow.
  const parts = value.match(/\\+|[\s\S]/gu) ?? []
  return parts.map(spelled).join('')
}

function spelled(part: string, nth: number): string {
  if (part.startsWith('\\')) {
    // At the beginning it is looked for where a run of them begins, and nowhere inside, for the same reason.
    const run = nth === 0 ? `(?<!\\\\)\\\\{${part.length},}` : `\\\\{${part.length},${part.length * 32}}`
    return `(?:${run}|(?:%5[cC]){${part.length}})`
  }
  const units = Array.from({ length: part.length }, (_, at) => part.charCodeAt(at).toString(16).padStart(4, '0'))
  const all = [quoted(part), units.map((unit) => `${escapes}u${anyCase(unit)}`).join('')]
  const short = shortEscapes[part]
  if (short !== undefined) all.push(`${escapes}${short}`)
  if (part === '"' || part === '/') all.push(`${escapes}${part}`)
  if (part === ' ') all.push('\\+')
  if (part.isWellFormed()) all.push([...Buffer.from(part)].map((byte) => `%${anyCase(hex(byte))}`).join(''))
  return `(?:${all.join('|')})`
}

const hex = (byte: number): string => byte.toString(16).padStart(2, '0')
const anyCase = (digits: string): string => digits.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)

// RegExp.escape is missing on the oldest Node that is supported.
const quoted = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
