import { realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errnoOf } from '../files/trouble.ts'

/**
 * The directory whose `.rein/` holds the project's settings: the nearest one from `cwd` upwards, but not above the
 * repository `cwd` is in (the nearest directory that holds `.git`). Outside a repository only `cwd` itself counts, so
 * that nothing somebody left in a shared folder such as `/tmp` is taken for a project.
 * @param home is never taken for a project's `.rein`, also when it is reached through a link.
 */
export async function findProject(cwd: string, home: string): Promise<string | undefined> {
  const inRepository: string[] = []
  for (let folder = cwd; ; folder = dirname(folder)) {
    inRepository.push(folder)
    if (await exists(join(folder, '.git'))) break
    if (folder === dirname(folder)) {
      inRepository.splice(1)
      break
    }
  }
  const realHome = await realOf(home)
  for (const folder of inRepository) {
    const real = await realOf(join(folder, '.rein'))
    if (real !== undefined && real !== realHome) return folder
  }
  return undefined
}

const exists = (path: string): Promise<boolean> =>
  missingIs(
    false,
    stat(path).then(() => true),
  )
const realOf = (path: string): Promise<string | undefined> => missingIs(undefined, realpath(path))

/** What cannot be reached is treated as what is not there: there is nothing to read in either. */
async function missingIs<T>(missing: T, found: Promise<T>): Promise<T> {
  try {
    return await found
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
    return missing
  }
}
