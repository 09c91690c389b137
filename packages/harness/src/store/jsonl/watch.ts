import { FailureError, type Watched } from '@rein/session'
import { Bell } from '../bell.ts'
import { codeOf, diskFailure } from '../disk-failure.ts'
import { watchFolder } from '../folder-watch.ts'
import { Follower } from './follower.ts'
import type { Place } from './names.ts'

/** Lines from `from` on and then what follows, woken by hints and every `pollMs` milliseconds, until `signal` aborts. */
export async function* watchLog(
  at: Place,
  from: number,
  options: { readonly signal: AbortSignal; readonly pollMs: number },
): AsyncGenerator<Watched> {
  const { signal, pollMs } = options
  using follower = new Follower(at, from)
  const bell = new Bell()
  using _hints = watchFolder(at.folder, (name) => {
    if (name === null || name.startsWith(at.id)) bell.ring()
  })
  const stop = (): void => bell.ring()
  signal.addEventListener('abort', stop)
  try {
    while (!signal.aborted) {
      for await (const news of follower.news()) {
        if (signal.aborted) return
        yield news
      }
      if (!signal.aborted) await bell.wait(pollMs)
    }
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause
    throw new FailureError(diskFailure('FILE_ERROR', `could not follow session ${at.id}`, cause), { cause })
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
