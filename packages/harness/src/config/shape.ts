import type { Json } from '@rein/session'

/** What may stand at a place in the settings. The static type of accepted values comes out of it with `Accepted`. */
export type Shape = Leaf<unknown> | Section<Keys> | Each<Shape> | Open

export interface Keys {
  readonly [key: string]: Shape
}

/** One value, replaced as a whole, whatever it is made of. */
export interface Leaf<T> {
  readonly kind: 'leaf'
  /** What is expected, as in `expected …`. */
  readonly expected: string
  readonly accepts: (value: Json) => value is Json & T
  /** Reads the value from an environment variable; absent where one cannot hold it. */
  readonly fromText?: (text: string) => Json
}

/** A map whose keys are known. */
export interface Section<K extends Keys> {
  readonly kind: 'section'
  readonly keys: K
}

/** A map whose keys are names somebody chose. */
export interface Each<S extends Shape> {
  readonly kind: 'each'
  readonly of: S
}

/** Any data that is a map; whoever it belongs to checks it. */
export interface Open {
  readonly kind: 'open'
}

/** The values a shape accepts, removals left out. */
export type Accepted<S> =
  S extends Leaf<infer T>
    ? T
    : S extends Section<infer K>
      ? { readonly [P in keyof K]?: Accepted<K[P]> }
      : S extends Each<infer V>
        ? { readonly [name: string]: Accepted<V> }
        : { readonly [key: string]: Json }

export const section = <K extends Keys>(keys: K): Section<K> => ({ kind: 'section', keys })

export const each = <S extends Shape>(of: S): Each<S> => ({ kind: 'each', of })

export const open: Open = { kind: 'open' }

/** Text that matches `pattern`. */
export const text = (expected: string, pattern = /\S/): Leaf<string> => ({
  kind: 'leaf',
  expected,
  accepts: (value): value is string => typeof value === 'string' && pattern.test(value),
  fromText: (value) => value,
})

export const choice = <T extends string>(...values: readonly T[]): Leaf<T> => ({
  kind: 'leaf',
  expected: values.length === 1 ? `${values[0]}` : `one of ${values.join(', ')}`,
  accepts: (value): value is T => values.some((known) => known === value),
  fromText: (value) => value,
})

/** A whole number of at least `least`. */
export const count = (least: number): Leaf<number> => ({
  kind: 'leaf',
  expected: `a whole number of at least ${least}`,
  accepts: (value): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= least,
  fromText: (value) => (/^\d+$/.test(value) ? Number(value) : value),
})

/** A number, 0 or more. */
export const amount: Leaf<number> = {
  kind: 'leaf',
  expected: 'a number of at least 0',
  accepts: (value): value is number => typeof value === 'number' && value >= 0,
  fromText: (value) => (/^\d+(\.\d+)?$/.test(value) ? Number(value) : value),
}

export const yesNo: Leaf<boolean> = {
  kind: 'leaf',
  expected: 'true or false',
  accepts: (value): value is boolean => typeof value === 'boolean',
  fromText: (value) => (value === 'true' ? true : value === 'false' ? false : value),
}

/** A list of texts that match `pattern`; in an environment variable separated by commas. */
export const texts = (what: string, pattern = /\S/): Leaf<readonly string[]> => ({
  kind: 'leaf',
  expected: `a list of ${what}`,
  accepts: (value): value is readonly string[] =>
    Array.isArray(value) && value.every((item) => typeof item === 'string' && pattern.test(item)),
  fromText: (value) => value.split(',').map((item) => item.trim()),
})
