/** What may be in a value nobody checked. */
export type Fields = { readonly [key: string]: unknown }

/** The fields of a value; none when it is no object. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

/** A value that is text; anything else is undefined. */
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** A value that is a number; anything else is undefined. */
export const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

/** JSON text as a value; undefined when it does not parse. */
export function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
