/**
 * JSON for people and for line diffs: a field a line, text of several lines as such. Not meant to be read back.
 * @param value anything `JSON.parse` gives.
 */
export const readable = (value: unknown): string => linesOf(value, '').join('\n')

function linesOf(value: unknown, lead: string): readonly string[] {
  if (Array.isArray(value)) return value.length === 0 ? [`${lead}[]`] : value.flatMap((item) => itemLines(item, lead))
  if (typeof value !== 'object' || value === null) return scalarLines('', value, lead)
  const fields = Object.entries(value)
  return fields.length === 0 ? [`${lead}{}`] : fields.flatMap(([key, field]) => fieldLines(key, field, lead))
}

function fieldLines(key: string, value: unknown, lead: string): readonly string[] {
  const nested = typeof value === 'object' && value !== null && Object.keys(value).length > 0
  return nested ? [`${lead}${key}:`, ...linesOf(value, `${lead}  `)] : scalarLines(`${key}: `, value, lead)
}

/** The first line of an item is marked, the others stand below it. */
function itemLines(item: unknown, lead: string): readonly string[] {
  const [first = '', ...more] = linesOf(item, `${lead}  `)
  return [`${lead}- ${first.slice(lead.length + 2)}`, ...more]
}

function scalarLines(before: string, value: unknown, lead: string): readonly string[] {
  if (typeof value !== 'string') return [`${lead}${before}${JSON.stringify(value)}`]
  if (!value.includes('\n')) return [`${lead}${before}${value}`]
  return [`${lead}${before}|`, ...value.split('\n').map((line) => `${lead}  ${line}`)]
}
