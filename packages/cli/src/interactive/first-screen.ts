import {
  FailureError,
  fold,
  type SessionEntry,
  type SessionEvent,
  type Store,
  tailEvents,
  transcript,
} from '@rein/session'
import type { Cli } from '../cli.ts'
import { render } from '../view/render.ts'
import { UnshownCalls } from '../view/unshown-calls.ts'

/** Read first, and at most, in bytes: a screen of small results lies near the end, one behind a large one does not. */
const FIRST = 128 * 1024
const MOST = 4 * 1024 * 1024

/**
 * The end of a conversation as it lies in the store, read backwards and without opening it: a person sees where a long
 * session stands before all of it was read and checked. Nothing of it is proved yet. @returns lines, at most a screen;
 * none when nothing can be read, for opening meets the same trouble and says what it is.
 */
export async function firstScreen(
  cli: Cli,
  store: Pick<Store, 'ends'>,
  { id, cwd }: Pick<SessionEntry, 'id' | 'cwd'>,
): Promise<readonly string[]> {
  const { rows = 24, columns = 100 } = process.stdout
  // The greeting and the line that is typed stand below.
  const most = Math.max(4, rows - 4)
  const drawing = { color: cli.color, width: Math.max(40, columns), cwd: cwd ?? cli.cwd }
  try {
    for (let bytes = FIRST; ; bytes *= 4) {
      const read = await store.ends(id, { head: 0, tail: bytes })
      if (!read.ok) return []
      const { head, tail } = read.value
      // Of a short log the head is all there is.
      const whole = tail.length === 0
      const lines = drawn(tailEvents(whole ? head : tail), drawing)
      if (lines.length >= most || whole || bytes >= MOST) return lines.slice(-most)
    }
  } catch (error) {
    if (error instanceof FailureError) return []
    throw error
  }
}

function drawn(
  events: readonly SessionEvent[],
  drawing: { readonly color: boolean; readonly width: number; readonly cwd: string },
): readonly string[] {
  const { entries, shadowed } = fold(transcript, events)
  const calls = new UnshownCalls()
  const shown: string[] = []
  for (const event of entries) {
    const text = render(event, { ...drawing, shadowed: shadowed.has(event.seq), unshown: calls.next(event) })
    for (const line of text?.split('\n') ?? []) shown.push(line)
  }
  return shown
}
