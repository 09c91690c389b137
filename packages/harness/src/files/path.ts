import { lstat, readdir, readlink, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, parse, resolve, sep } from 'node:path'
import type { Result } from '@rein/session'
import { nearNames } from './near.ts'
import { errnoOf, failed, fileTrouble, fine } from './trouble.ts'

/** A path with every symbolic link followed, also where nothing is there yet. */
export interface RealPath {
  /** Absolute; what a file operation is to use, and what a guard is to judge. */
  readonly path: string
  /** False when the file, or a directory on the way to it, does not exist. */
  readonly exists: boolean
}

/** Links followed on one path before it counts as a circle; what Linux allows. */
const LINKS = 40

/** Absolute form of a path a model wrote. `~/` is the person's home; links are not followed. */
export function absolutePath(path: string, cwd: string): string {
  if (path === '~') return homedir()
  if (path.startsWith('~/')) return join(homedir(), path.slice(2))
  return resolve(cwd, path)
}

/**
 * Follow every link of `path`, dangling ones too: a new file behind a dangling link is where the link points.
 * Fails `FILE_ERROR` for a circle or an unreadable directory, `NOT_FOUND` where a file stands in place of a directory.
 */
export async function resolvePath(path: string, cwd: string): Promise<Result<RealPath>> {
  if (path === '' || path.includes('\0')) return failed('NOT_FOUND', `${JSON.stringify(path)} is not a path.`)
  const absolute = absolutePath(path, cwd)
  return (await isReal(absolute)) ? fine({ path: absolute, exists: true }) : walk(absolute)
}

/** Whether something is there and no link is on the way to it: one question to the system, where a walk asks many. */
async function isReal(absolute: string): Promise<boolean> {
  try {
    return (await realpath(absolute)) === absolute
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
    return false
  }
}

async function walk(absolute: string): Promise<Result<RealPath>> {
  const { root } = parse(absolute)
  const todo = absolute.slice(root.length).split(sep).filter(Boolean).reverse()
  let at = root
  let links = 0
  for (let part = todo.pop(); part !== undefined; part = todo.pop()) {
    if (part === '..') at = dirname(at)
    if (part === '.' || part === '..') continue
    const next = join(at, part)
    const found = await look(next)
    if (!found.ok) return found
    if (found.value === 'missing') return fine({ path: join(next, ...todo.reverse()), exists: false })
    if (found.value === 'there') at = next
    else {
      if (++links > LINKS) return failed('FILE_ERROR', `${absolute}: its symbolic links lead in a circle.`)
      if (isAbsolute(found.value.link)) at = parse(found.value.link).root
      todo.push(...found.value.link.split(sep).filter(Boolean).reverse())
    }
  }
  return fine({ path: at, exists: true })
}

async function look(path: string): Promise<Result<'missing' | 'there' | { readonly link: string }>> {
  try {
    if (!(await lstat(path)).isSymbolicLink()) return fine('there')
    return fine({ link: await readlink(path) })
  } catch (error) {
    return errnoOf(error) === 'ENOENT' ? fine('missing') : { ok: false, failure: fileTrouble(error, path) }
  }
}

/** `NOT_FOUND` for a path that is not there, naming what is there and looks like it. `shown` is how the model wrote it. */
export async function notFound(
  path: string,
  shown: string,
): Promise<{ ok: false; failure: ReturnType<typeof fileTrouble> }> {
  let folder = dirname(path)
  let wanted = basename(path)
  for (;;) {
    const names = await readdir(folder).catch((error: unknown) => {
      if (errnoOf(error) === undefined) throw error
      return undefined
    })
    if (names !== undefined) {
      const near = nearNames(wanted, names).map((name) => join(folder, name))
      const missing = folder === dirname(path) ? '' : ` The directory ${join(folder, wanted)} does not exist.`
      const next = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'Look for it with glob.'
      return failed('NOT_FOUND', `${shown}: there is no such file.${missing}`, next)
    }
    if (folder === dirname(folder)) return failed('NOT_FOUND', `${shown}: there is no such file.`)
    wanted = basename(folder)
    folder = dirname(folder)
  }
}

/** Whether `path` is `root` or below it. Both absolute and resolved. */
export const inside = (root: string, path: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)
