import { createHash } from 'node:crypto'
import { open, readdir, stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { Result } from '@rein/session'
import { errnoOf, failed, fileTrouble, fine } from '../files/trouble.ts'

/** A plugin with more is a package to be installed, not something to agree to by content. */
const mostFiles = 2000
const mostBytes = 64 * 1024 * 1024

/**
 * SHA-256, hexadecimal, of a settings file's bytes and of the local plugins it names: a file, or a directory with
 * everything in it. Where they lie does not matter, so the hash is the same in every clone.
 * @param uses what the file's rows use, in the order of the file. Only absolute paths are local.
 * @returns fails when a plugin cannot be read, or is too large to be agreed to by content.
 */
export async function contentHash(bytes: Uint8Array, uses: readonly string[]): Promise<Result<string>> {
  const hash = createHash('sha256').update(`rein.yaml ${bytes.length}\n`).update(bytes)
  const budget = { files: mostFiles, bytes: mostBytes }
  for (const use of uses.filter((path) => isAbsolute(path))) {
    try {
      for (const [name, file] of await filesOf(use)) {
        const content = await contentOf(file, budget)
        if (content === undefined) return failed('BAD_SETTINGS', `${use}: is too large to be agreed to by its content`)
        hash.update(`\n${JSON.stringify(name)} ${content.length}\n`).update(content)
      }
    } catch (error) {
      return { ok: false, failure: fileTrouble(error, use) }
    }
  }
  return fine(hash.digest('hex'))
}

/** Name inside the plugin (empty for a plugin that is one file) and path, sorted by name. */
async function filesOf(path: string): Promise<readonly (readonly [string, string])[]> {
  if (!(await stat(path)).isDirectory()) return [['', path]]
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => [file.slice(path.length + 1).replaceAll('\\', '/'), file])
}

async function contentOf(file: string, budget: { files: number; bytes: number }): Promise<Uint8Array | undefined> {
  const info = await stat(file).catch((error: unknown) => {
    if (errnoOf(error) !== 'ENOENT') throw error
    return undefined
  })
  // A dangling link, or a link to a directory: it has no content of its own, but it cannot be told what it will have.
  if (!info?.isFile()) return undefined
  budget.files -= 1
  budget.bytes -= info.size
  if (budget.files < 0 || budget.bytes < 0) return undefined
  const handle = await open(file)
  try {
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}
