import { randomUUID } from 'node:crypto'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isAbsent } from '../disk-failure.ts'
import type { SessionStore } from '../session-store.ts'

/** Files that lie beside a log: damaged lines, whole outputs, what waits to be taken in, pictures. */
export type SidePart = 'aside' | 'spill' | 'inbox' | 'blobs'

/** The files beside one session's log, whatever store keeps the log. */
export interface SideFiles {
  /** Names of the regular files, sorted; none when there is no such folder. */
  names(part: SidePart): Promise<readonly string[]>
  read(part: SidePart, name: string): Promise<Uint8Array>
  /** The whole file anew, or the old one as it was. */
  replace(part: SidePart, name: string, bytes: Uint8Array): Promise<void>
  /** Nothing happens when it is not there. */
  remove(part: SidePart, name: string): Promise<void>
}

/** @returns undefined when there is no such session. */
export async function sideFiles(store: Pick<SessionStore, 'spillFolder'>, id: string): Promise<SideFiles | undefined> {
  const spill = await store.spillFolder(id)
  if (spill === undefined) return undefined
  const folder = (part: SidePart): string => (part === 'spill' ? spill : join(dirname(spill), `${id}.${part}`))
  return {
    async names(part) {
      try {
        const found = await readdir(folder(part), { withFileTypes: true })
        // A link could lead anywhere, and what is hidden is half-written.
        const files = found.filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
        return files.map(({ name }) => name).sort()
      } catch (cause) {
        if (isAbsent(cause)) return []
        throw cause
      }
    },
    read: (part, name) => readFile(join(folder(part), name)),
    async replace(part, name, bytes) {
      const hidden = join(folder(part), `.${randomUUID()}`)
      try {
        await writeFile(hidden, bytes, { mode: 0o600, flag: 'wx', flush: true })
        await rename(hidden, join(folder(part), name))
      } finally {
        await rm(hidden, { force: true })
      }
    },
    remove: (part, name) => rm(join(folder(part), name), { force: true }),
  }
}
