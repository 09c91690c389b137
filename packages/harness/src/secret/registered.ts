import { kinds } from './placeholder.ts'

/** Shortest value that is registered, in UTF-16 units: anything shorter also stands in ordinary text. */
export const shortestSecret = 8

/**
 * The values this process used for authentication. They are replaced in everything that is logged or sent, and kept
 * out of the environment of every process that is started.
 */
export class RegisteredSecrets {
  /** Value and the spellings that would give it away. */
  readonly #values = new Map<string, readonly string[]>()

  /** Counts the values taken in, so that whatever is compiled from them knows when to compile again. */
  get version(): number {
    return this.#values.size
  }

  /**
   * @returns false when the value cannot be protected: it is shorter than `shortestSecret`, or a part of every
   * placeholder. The caller tells the person.
   */
  add(value: string): boolean {
    if (value.length < shortestSecret || kinds.some((kind) => `⟦secret:${kind}:`.includes(value))) return false
    if (!this.#values.has(value)) this.#values.set(value, spellings(value))
    return true
  }

  has(value: string): boolean {
    return this.#values.has(value)
  }

  /** Whether a registered value stands anywhere in `text`, as it is or in one of its spellings. */
  within(text: string): boolean {
    for (const { spelling } of this.spelled()) if (text.includes(spelling)) return true
    return false
  }

  values(): Iterable<string> {
    return this.#values.keys()
  }

  /** Each registered value in every spelling that would give it away. */
  *spelled(): Iterable<{ readonly value: string; readonly spelling: string }> {
    for (const [value, spelled] of this.#values) for (const spelling of spelled) yield { value, spelling }
  }
}

/**
 * The value itself; inside a JSON string, and inside a JSON string inside another; percent-encoded; in base64 and its
 * URL-safe form, wherever in a longer encoded text it may start.
 */
function spellings(value: string): readonly string[] {
  const escaped = JSON.stringify(value).slice(1, -1)
  const encoded = value.isWellFormed() ? [encodeURIComponent(value)] : []
  const all = [value, escaped, JSON.stringify(escaped).slice(1, -1), ...encoded, ...base64Spellings(value)]
  return [...new Set(all)].filter((spelling) => spelling.length >= shortestSecret)
}

/** Base64 of the value at each of the three positions it can have in a longer text, less the characters it shares. */
function base64Spellings(value: string): readonly string[] {
  const bytes = Buffer.from(value)
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replaceAll('=', '')
    const shared = (before + bytes.length) % 3 === 0 ? 0 : 1
    const own = whole.slice(before === 0 ? 0 : before + 1, whole.length - shared)
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')]
  })
}
