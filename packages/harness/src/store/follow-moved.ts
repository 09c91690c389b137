import { FailureError, type Posted, type Result, type Watched } from '@rein/session'
import { fail, missing } from './failures.ts'
import type { SessionStore } from './session-store.ts'

/** How often a session is looked for again without hearing anything of it: it may be moved and moved back. */
const LOOKS = 3

/** Where a session is now. @throws FailureError `SESSION_MISSING`. */
type Must = (id: string) => Promise<SessionStore>

/**
 * Watch a session that may be moved to another store meanwhile: it is the same to the byte there, so the watcher goes on
 * at the position it came to.
 */
export async function* watchAcross(
  must: Must,
  { id, from, signal }: { readonly id: string; readonly from: number; readonly signal: AbortSignal },
): AsyncGenerator<Watched> {
  let position = from
  for (let looks = 1; ; looks++) {
    const store = await must(id)
    try {
      for await (const news of store.watch(id, position, signal)) {
        position = news.kind === 'reset' ? news.from : news.from + news.lines.length
        looks = 0
        yield news
      }
      return
    } catch (cause) {
      if (looks >= LOOKS || !(cause instanceof FailureError) || cause.failure.code !== 'SESSION_MISSING') throw cause
    }
  }
}

/** Post to a session, and again where it was moved to while it was posted. */
export async function postAcross(
  of: (id: string) => Promise<SessionStore | undefined>,
  id: string,
  item: Posted,
): Promise<Result<void>> {
  try {
    for (let looks = 1; ; looks++) {
      const store = await of(id)
      if (!store) return fail(missing(id))
      const posted = await store.post(id, item)
      if (posted.ok || posted.failure.code !== 'SESSION_MISSING' || looks >= LOOKS) return posted
    }
  } catch (cause) {
    if (cause instanceof FailureError) return fail(cause.failure)
    throw cause
  }
}
