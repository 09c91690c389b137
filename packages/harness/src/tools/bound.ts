import type { Content } from '@rein/session'
import type { Spill } from './definition.ts'

/** Most bytes of text one result may bring to the model; tools have tighter limits of their own. */
export const resultLimit = 64 * 1024

const utf8 = new TextEncoder()

/**
 * Hold a result inside the limit: head and tail stay, the whole goes to a file the model can read. Pictures pass.
 * @returns the content to log and, when something was cut, where the whole is.
 */
export async function bounded(content: readonly Content[], spill: Spill, name: string) {
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
  if (text.length * 3 <= resultLimit || utf8.encode(text).length <= resultLimit) return { content }
  const file = await spill.open(`${name}.txt`)
  await file.write(utf8.encode(text))
  await file.close()
  const half = Math.floor(resultLimit / 8)
  const head = atCharacter(text.slice(0, half * 3))
  const tail = atCharacter(text.slice(-half))
  const note = `[${text.length - head.length - tail.length} characters left out here; the whole output is in ${file.path}]`
  const kept: Content = { type: 'text', text: `${head}\n${note}\n${tail}` }
  return { content: [kept, ...content.filter((part) => part.type !== 'text')], spill: file.path }
}

/** Cutting by code unit may leave half a character at an end; it goes. */
const atCharacter = (text: string): string => text.replace(/^[\uDC00-\uDFFF]/, '').replace(/[\uD800-\uDBFF]$/, '')
