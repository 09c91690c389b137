/**
 * Checks of unknown JSON, tied to the types they check by the compiler: a field that is missing from a check, or
 * checked as something else, does not compile. Interpreted closures, no dependency: append runs one per event.
 */
export interface Check<T> {
  /** @returns what is wrong, starting with the path inside the value, or undefined. */
  (value: unknown): string | undefined
  readonly type?: T
}

/** Marks a field that may be absent; the compiler asks for it exactly where the type says `?`. */
export interface Optional<T> {
  readonly optional: Check<T>
}

type FieldCheck<T, K extends keyof T> =
  Record<never, never> extends Pick<T, K> ? Optional<Exclude<T[K], undefined>> : Check<T[K]>

type Fields<T> = { readonly [K in keyof T]-?: FieldCheck<T, K> }

const is =
  <T>(what: string, test: (value: unknown) => boolean): Check<T> =>
  (value) =>
    test(value) ? undefined : `must be ${what}`

export const text: Check<string> = is('a string', (value) => typeof value === 'string')
export const bool: Check<boolean> = is('true or false', (value) => typeof value === 'boolean')
export const int: Check<number> = is('an integer from 0', (value) => Number.isSafeInteger(value) && Number(value) >= 0)
export const num: Check<number> = is('a finite number', (value) => Number.isFinite(value))
/** Anything JSON can hold; what came out of `JSON.parse` is that already. */
export const json: Check<never> = is('a JSON value', (value) => value !== undefined && typeof value !== 'function')
export const record: Check<never> = is(
  'an object',
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
)

export const optional = <T>(check: Check<T>): Optional<T> => ({ optional: check })

export function oneOf<const T extends string>(...words: T[]): Check<T> {
  const known: ReadonlySet<unknown> = new Set(words)
  return (value) => (known.has(value) ? undefined : `must be one of ${words.join(', ')}`)
}

export const orNull =
  <T>(check: Check<T>): Check<T | null> =>
  (value) =>
    value === null ? undefined : check(value)

export const listOf =
  <T>(check: Check<T>): Check<readonly T[]> =>
  (value) => {
    if (!Array.isArray(value)) return 'must be a list'
    for (let index = 0; index < value.length; index++) {
      const problem = check(value[index])
      if (problem !== undefined) return `[${index}] ${problem}`
    }
    return undefined
  }

/** Two places in the log. On the surface the first may be the later event: a replace puts it where the old one stood. */
export const pair: Check<readonly [number, number]> = (value) =>
  Array.isArray(value) && value.length === 2 && value.every((item) => int(item) === undefined)
    ? undefined
    : 'must be two integers'

/** Two integers, the first not above the second. */
export const range: Check<readonly [number, number]> = (value) =>
  Array.isArray(value) && value.length === 2 && int(value[0]) === undefined && int(value[1]) === undefined
    ? value[0] <= value[1]
      ? undefined
      : 'must go from low to high'
    : 'must be two integers'

/** Unknown fields pass: a newer writer may add an optional one. */
export function object<T extends object>(fields: NoInfer<Fields<T>>): Check<T> {
  const entries = Object.entries<Check<unknown> | Optional<unknown>>(fields)
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be an object'
    for (const [name, field] of entries) {
      const given: unknown = Reflect.get(value, name)
      if (given === undefined && 'optional' in field) continue
      const problem = ('optional' in field ? field.optional : field)(given)
      if (problem !== undefined) return problem.startsWith('must') ? `${name} ${problem}` : `${name}.${problem}`
    }
    return undefined
  }
}

type Tagged<T, Tag extends keyof T> = { readonly [K in T[Tag] & string]: Check<Extract<T, { readonly [P in Tag]: K }>> }

/** A union told apart by the string in `tag`. */
export function variant<T extends object, Tag extends keyof T & string>(
  tag: Tag,
  cases: NoInfer<Tagged<T, Tag>>,
): Check<T> {
  const known = new Map(Object.entries<Check<unknown>>(cases))
  return (value) => {
    const kind: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, tag) : undefined
    const check = typeof kind === 'string' ? known.get(kind) : undefined
    return check ? check(value) : `${tag} must be one of ${[...known.keys()].join(', ')}`
  }
}
