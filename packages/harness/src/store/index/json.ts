/** What may be in a value nobody checked. */
export type Fields = { readonly [key: string]: unknown }

/** The fields of a value; none when it is no object. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
export const numberOf = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0)

/** JSON text as a value; undefined when it does not parse. */
export function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The texts of a message's content, in order. */
export const textsOf = (content: unknown): readonly string[] =>
  listOf(content).flatMap((part) => {
    const { type, text } = fieldsOf(part)
    return type === 'text' && typeof text === 'string' ? [text] : []
  })
