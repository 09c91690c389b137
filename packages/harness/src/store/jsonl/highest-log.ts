import { isAbsent } from '../disk-failure.ts'
import type { Epochs } from './ground.ts'
import { logPath, type Place, readEpochs } from './names.ts'

/**
 * Open the highest published log of a session. @returns undefined when it has none.
 * @param open rejects, or gives undefined, where there is no such file.
 */
export async function highestLog<T>(
  at: Place,
  open: (path: string, epochs: Epochs & { readonly log: number }) => T | undefined | Promise<T>,
): Promise<T | undefined> {
  for (let round = 0; round < 100; round++) {
    const epochs = await readEpochs(at)
    const log = epochs.logs.at(-1)
    if (log === undefined) return undefined
    try {
      const opened = await open(logPath(at, log), { ...epochs, log })
      if (opened !== undefined) return opened
    } catch (cause) {
      if (!isAbsent(cause)) throw cause
    }
    // It was replaced by a higher one between the look and the open.
  }
  return undefined
}
