import type { Content, Json } from '@rein/session'
import { FailureError } from '@rein/session'
import type { Spill } from './definition.ts'

/** Most bytes of text one result may bring to the model; tools have tighter limits of their own. */
export const resultLimit = 64 * 1024

/** Most bytes of a view, as JSON. */
export const viewLimit = 256 * 1024

const utf8 = new TextEncoder()

/**
 * Hold a result inside the limit: head and tail stay, the whole goes to a file the model can read. Pictures pass.
 * @returns the content to log and, when something was cut, where the whole is.
 */
export async function bounded(content: readonly Content[], spill: Spill, name: string) {
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
  if (text.length * 3 <= resultLimit) return { content }
  const bytes = utf8.encode(text)
  if (bytes.length <= resultLimit) return { content }
  const [head, tail] = [firstOf(bytes, Math.floor(resultLimit * 0.6)), lastOf(bytes, Math.floor(resultLimit * 0.2))]
  const kept = await spilled(bytes, spill, name)
  const where = 'path' in kept ? `the whole output is in ${kept.path}` : `they could not be kept: ${kept.why}`
  const note = `[${bytes.length - head.length - tail.length} bytes left out here; ${where}]`
  const both: Content = { type: 'text', text: `${decoded(head)}\n${note}\n${decoded(tail)}` }
  const others = content.filter((part) => part.type !== 'text')
  return { content: [both, ...others], ...('path' in kept && { spill: kept.path }) }
}

/** A view that is too large is left out, and says so. What rule 12 looks at stays: which version of which file changed. */
export function boundedView(view: Json): Json {
  const bytes = utf8.encode(JSON.stringify(view)).length
  if (bytes <= viewLimit) return view
  const change = typeof view === 'object' && view !== null && 'path' in view && 'before' in view
  return { kind: 'left-out', bytes, ...(change && { path: view.path, before: view.before }) }
}

/** The disk may refuse; the result is worth more than the whole of it. */
async function spilled(bytes: Uint8Array, spill: Spill, name: string): Promise<{ path: string } | { why: string }> {
  try {
    const file = await spill.open(`${name}.txt`)
    await file.write(bytes)
    await file.close()
    return { path: file.path }
  } catch (error) {
    if (error instanceof FailureError) return { why: error.failure.message }
    throw error
  }
}

const decoded = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
const isInside = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** Cut at a character, never inside one. */
function firstOf(bytes: Uint8Array, limit: number): Uint8Array {
  let end = limit
  while (isInside(bytes[end])) end--
  return bytes.subarray(0, end)
}

function lastOf(bytes: Uint8Array, limit: number): Uint8Array {
  let start = bytes.length - limit
  while (isInside(bytes[start])) start++
  return bytes.subarray(start)
}
