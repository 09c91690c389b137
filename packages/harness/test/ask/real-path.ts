import { lstat, readlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ResolvePath } from '../../src/ask/paths.ts'

/** A small port for tests: follows links one by one, also where nothing is there yet, and gives up after 40. */
export const realPath: ResolvePath = async (path) => {
  const todo = path.split('/').filter(Boolean)
  let at = '/'
  for (let links = 0; ; ) {
    const part = todo.shift()
    if (part === undefined) return { ok: true, value: at }
    const link = part === '..' || part === '.' ? undefined : await linkAt(join(at, part))
    if (part === '..') at = dirname(at)
    else if (link === undefined && part !== '.') at = join(at, part)
    else if (link !== undefined) {
      if (++links > 40)
        return { ok: false, failure: { code: 'FILE_ERROR', message: `${path}: links lead in a circle` } }
      todo.unshift(...link.split('/').filter(Boolean))
      if (link.startsWith('/')) at = '/'
    }
  }
}

async function linkAt(path: string): Promise<string | undefined> {
  const found = await lstat(path).catch((error: unknown) => {
    if (error instanceof Error && /ENOENT|ENOTDIR/.test(error.message)) return undefined
    throw error
  })
  return found?.isSymbolicLink() ? readlink(path) : undefined
}
