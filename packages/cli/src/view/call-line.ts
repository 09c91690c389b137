import { fieldsOf, numberOf, parsed, textOf } from './json.ts'
import { oneLine } from './safe-text.ts'

/** Fields of arguments that say what a call is about, the most telling first. */
const telling = ['command', 'path', 'pattern', 'url', 'query', 'name'] as const

/**
 * What a call is about, on one line: `npm test`, `src/sum.js:10-20`, `*.ts in src`; its arguments as they are when
 * they name none of these.
 * @param json the arguments as the model wrote them; they need not parse.
 */
export function callTitle(json: string, most: number): string {
  const fields = fieldsOf(parsed(json))
  const items = fields['items']
  if (Array.isArray(items)) return `${items.length} items`
  const key = telling.find((name) => textOf(fields[name]) !== undefined)
  if (key === undefined) return oneLine(json === '{}' ? '' : json, most)
  const text = textOf(fields[key]) ?? ''
  if (key === 'pattern') return oneLine(`${text}${inFolder(textOf(fields['path']))}`, most)
  const pattern = textOf(fields['pattern'])
  if (key === 'path' && pattern !== undefined) return oneLine(`${pattern}${inFolder(text)}`, most)
  return oneLine(key === 'path' ? text + lines(fields['offset'], fields['limit']) : text, most)
}

const inFolder = (path: string | undefined): string => (path === undefined ? '' : ` in ${path}`)

function lines(offset: unknown, limit: unknown): string {
  const first = numberOf(offset) ?? 1
  const many = numberOf(limit)
  if (many !== undefined) return `:${first}-${first + many - 1}`
  return first > 1 ? `:${first}-` : ''
}
