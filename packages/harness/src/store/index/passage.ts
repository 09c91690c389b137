import { fieldsOf, listOf, parsed, textOf, textsOf } from './json.ts'
import type { LogLine } from './log-line.ts'

/** What one event says, as far as it is looked through. */
export interface Passage {
  readonly seq: number
  /** `person`, `assistant`, another source of a message, or the name of the tool whose result it is. */
  readonly who: string
  readonly kind: 'said' | 'result'
  readonly text: string
}

/** Characters of one event that are looked through; results are bounded to less before they are logged. */
export const mostText = 1 << 18

/** The types whose lines are read for their text. */
const kinds: { readonly [type: string]: (data: ReturnType<typeof fieldsOf>) => Omit<Passage, 'seq'> | undefined } = {
  'user/message': ({ content, source }) => {
    const who = textOf(fieldsOf(source)['kind'])
    // What the program tells the model about itself stands in every session.
    if (who === 'context') return undefined
    return { who, kind: 'said', text: textsOf(content).join('\n') }
  },
  'assistant/message': ({ content }) => {
    const text = listOf(content).map((block) => {
      const { type, text, name, arguments: given } = fieldsOf(block)
      if (type === 'call') return `${textOf(name)} ${readable(textOf(given))}`
      return type === 'text' ? textOf(text) : ''
    })
    return { who: 'assistant', kind: 'said', text: text.filter(Boolean).join('\n') }
  },
  'tool/result': ({ content, name }) => ({ who: textOf(name), kind: 'result', text: textsOf(content).join('\n') }),
}

/** @returns undefined for lines that say nothing. */
export function passageOf(line: LogLine): Passage | undefined {
  const kind = kinds[line.type]
  if (!kind) return undefined
  const passage = kind(line.data)
  if (!passage || passage.text.trim() === '') return undefined
  return { ...passage, seq: line.seq, text: passage.text.slice(0, mostText).toWellFormed() }
}

/** The texts in a call's arguments, as they were meant: line ends as such, without quotes around them. */
function readable(json: string): string {
  const value = parsed(json)
  if (typeof value !== 'object' || value === null) return json
  return Object.values(value)
    .map((each: unknown) => (typeof each === 'string' ? each : JSON.stringify(each)))
    .join(' ')
}
