import { faultOfPosted, hideIn, type Posted } from '@rein/session'
import { hiddenBytes } from './text-bytes.ts'

/** A posted item as a store wrote it down: by itself, or in something of the store's own. */
interface Written {
  readonly item: Posted
  /** The same around another item. */
  around(item: object): object
}

/**
 * Hide texts in what waits. An item stays one, and keeps the id by which it is known not to be taken in twice; where
 * that cannot be it stays as it is. What is no item is text.
 * @returns the same bytes when nothing is hidden.
 */
export function hiddenPost(bytes: Uint8Array, { text }: { readonly text: (from: string) => string }): Uint8Array {
  const written = writtenIn(bytes)
  if (!written) return hiddenBytes(bytes, text)
  const hidden = hideIn(written.item, text)
  if (hidden === written.item || typeof hidden !== 'object') return bytes
  const safe = { ...hidden, id: written.item.id }
  const changed = JSON.stringify(safe) !== JSON.stringify(written.item)
  return changed && isPosted(safe) ? Buffer.from(JSON.stringify(written.around(safe))) : bytes
}

/** @returns undefined for what is no item. */
export const idOfPost = (bytes: Uint8Array): string | undefined => writtenIn(bytes)?.item.id

function writtenIn(bytes: Uint8Array): Written | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    if (isPosted(value)) return { item: value, around: (item) => item }
    if (typeof value !== 'object' || value === null || !('item' in value) || !isPosted(value.item)) return undefined
    return { item: value.item, around: (item) => ({ ...value, item }) }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

const isPosted = (value: unknown): value is Posted => faultOfPosted(value) === undefined
