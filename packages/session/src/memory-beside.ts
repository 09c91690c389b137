import type { MemorySession } from './memory-session.ts'
import { faultOfPosted } from './posted.ts'
import type { Amendment, Beside, BesidePart, Posted } from './store.ts'

/** The pieces of one kind beside a log in memory, by name. */
export function besideIn(session: MemorySession, part: BesidePart): readonly Beside[] {
  return named(session, part)
    .map(([name, bytes]): Beside => ({ part, name, bytes }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

function named(session: MemorySession, part: BesidePart): (readonly [string, Uint8Array])[] {
  switch (part) {
    case 'aside':
      return [...session.aside]
    case 'blob':
      return [...session.blobs]
    case 'post':
      return [...session.posted].map(([id, item]) => [id, new TextEncoder().encode(JSON.stringify(item))])
  }
}

/** @throws TypeError for a post that is no item any more. */
export function amendIn(session: MemorySession, pieces: readonly Amendment[]): void {
  for (const piece of pieces) {
    const { part, name, bytes } = piece
    const all: Map<string, unknown> =
      part === 'post' ? session.posted : part === 'aside' ? session.aside : session.blobs
    if (!all.has(name)) continue
    if (bytes === null) all.delete(name)
    else if (part === 'aside') session.aside.set(name, bytes.slice())
    else session.posted.set(name, itemIn(bytes))
  }
}

function itemIn(bytes: Uint8Array): Posted {
  const item: unknown = JSON.parse(new TextDecoder().decode(bytes))
  const fault = faultOfPosted(item)
  if (fault !== undefined) throw new TypeError(`not a post: ${fault}`)
  return item as Posted
}
