/** What `within` gives instead of a result when the time was over first. */
export const late: unique symbol = Symbol('late')

/**
 * Wait for `work`, but not for longer than `ms` milliseconds (`Infinity`: no limit). The work itself is not stopped;
 * a rejection that comes too late is dropped, because nobody waits for it any more.
 */
export async function within<T>(ms: number, work: () => T | PromiseLike<T>): Promise<T | typeof late> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const alarm = new Promise<typeof late>((ring) => {
    if (ms !== Number.POSITIVE_INFINITY) timer = setTimeout(ring, ms, late)
  })
  try {
    return await Promise.race([work(), alarm])
  } finally {
    clearTimeout(timer)
  }
}
