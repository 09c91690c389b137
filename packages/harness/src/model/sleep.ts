/** Wait so many milliseconds; an abort ends the wait early, without an error. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

export const pause: Sleep = (ms, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
