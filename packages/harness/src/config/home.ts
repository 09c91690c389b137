import { mkdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Result } from '@rein/session'
import { failed, fileTrouble, fine } from '../files/trouble.ts'

/** `$REIN_HOME`, by default `~/.rein`; absolute. It need not exist. */
export const homePath = (env: Readonly<Record<string, string | undefined>>, userHome: string): string =>
  resolve(env.REIN_HOME || join(userHome, '.rein'))

/** Make the home when it is not there, open to its owner alone. Fails with `FILE_ERROR` and the like of the file system. */
export async function makeHome(home: string): Promise<Result<string>> {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 })
    return (await stat(home)).isDirectory() ? fine(home) : failed('FILE_ERROR', `${home}: this is not a directory.`)
  } catch (error) {
    return { ok: false, failure: fileTrouble(error, home) }
  }
}
