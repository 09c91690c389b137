import { randomUUID } from 'node:crypto'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { noneWhenAbsent } from '../disk-failure.ts'
import type { SessionStore } from '../session-store.ts'

/** The whole outputs of one session: files, whatever store keeps the log. */
export interface Spilled {
  /** Names of the regular files, sorted. */
  names(): Promise<readonly string[]>
  read(name: string): Promise<Uint8Array>
  /** The whole file anew, or the old one as it was. */
  replace(name: string, bytes: Uint8Array): Promise<void>
}

/** Nothing is in it when there is no such session. */
export async function spilledOf(store: Pick<SessionStore, 'spillFolder'>, id: string): Promise<Spilled> {
  const folder = await store.spillFolder(id)
  const path = (name: string): string => {
    if (folder === undefined) throw new Error(`session ${id} has no whole outputs`)
    return join(folder, name)
  }
  return {
    async names() {
      if (folder === undefined) return []
      const found = await noneWhenAbsent(readdir(folder, { withFileTypes: true }))
      // A link could lead anywhere, and what is hidden is half-written.
      return found.flatMap((entry) => (entry.isFile() && !entry.name.startsWith('.') ? [entry.name] : [])).sort()
    },
    read: (name) => readFile(path(name)),
    async replace(name, bytes) {
      const hidden = path(`.${randomUUID()}`)
      try {
        await writeFile(hidden, bytes, { mode: 0o600, flag: 'wx', flush: true })
        await rename(hidden, path(name))
      } finally {
        await rm(hidden, { force: true })
      }
    },
  }
}
