import { watch } from 'node:fs'

/**
 * Hints that something changed in a folder: the name, or null where the system does not tell. Hints get lost (no
 * watches left, network folders), so every user of this looks by itself too, just more slowly.
 */
export function watchFolder(folder: string, listener: (name: string | null) => void): Disposable {
  try {
    const watcher = watch(folder, { persistent: false }, (_event, name) => listener(name))
    // A watcher that breaks later, such as when the folder is moved, only ends the hints.
    watcher.on('error', () => watcher.close())
    return { [Symbol.dispose]: () => watcher.close() }
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause)) throw cause
    return { [Symbol.dispose]() {} }
  }
}
