import { lstat, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Failure, Result } from '@rein/session'
import { fieldsOf, parsed } from '../view/json.ts'
import { files } from './project.ts'

/**
 * Make the scratch project: a new folder, or with a seed always the same one, made anew. A folder of that name that is
 * no scratch project is left alone. Fails `FILE_ERROR`.
 * @returns its real path.
 */
export async function scratchProject(
  env: Readonly<Record<string, string | undefined>>,
  seed: number | undefined,
): Promise<Result<string>> {
  try {
    const parent = await realpath(env['TMPDIR'] || tmpdir())
    const folder = seed === undefined ? await mkdtemp(join(parent, 'rein-demo-')) : join(parent, `rein-demo-${seed}`)
    if (seed !== undefined) {
      if (!(await isFree(folder))) return { ok: false, failure: notOurs(folder) }
      await rm(folder, { recursive: true, force: true })
      // Fails when somebody else was faster: nothing is written into a folder that is not our own.
      await mkdir(folder, { mode: 0o700 })
    }
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), text)
    }
    return { ok: true, value: folder }
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return { ok: false, failure: refused(error) }
  }
}

/** Nothing is there, or an earlier scratch project, or what a run that was killed at once left of one. */
async function isFree(folder: string): Promise<boolean> {
  try {
    const names = await readdir(folder)
    if (names.length === 0) return true
    return fieldsOf(parsed(await readFile(join(folder, 'package.json'), 'utf8')))['name'] === 'rein-demo'
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return codeOf(error) === 'ENOENT' && !(await isThere(folder))
  }
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

const notOurs = (folder: string): Failure => ({
  code: 'FILE_ERROR',
  message: `${folder} is there already and is no scratch project of the demo.`,
  next: 'Move it away, or choose another seed.',
})

const refused = (error: unknown): Failure => ({
  code: 'FILE_ERROR',
  message: `The scratch project could not be made: ${String(error)}`,
  next: 'Set TMPDIR to a folder you can write to.',
})
