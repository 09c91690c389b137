import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Json, Result } from '@rein/session'
import { fileTrouble, fine } from '../files/trouble.ts'
import type { Unconsented } from './consent.ts'
import { makeHome } from './home.ts'
import { badSettings, type Problem } from './problem.ts'
import { plain } from './traced.ts'
import { readYaml } from './yaml-file.ts'

/** What the user agreed to, once: this content, in this project. */
export interface Consent {
  readonly hash: string
  /** Absolute path of the project. A clone elsewhere is asked about again: what its plugins import may differ. */
  readonly project: string
}

/** `$REIN_HOME/consents.yaml`. */
const fileOf = (home: string): string => join(home, 'consents.yaml')

/** What is recorded. A file that cannot be read is a failure and never counts as consent. */
export async function readConsents(home: string): Promise<Result<readonly Consent[]>> {
  const records = await recordsOf(home)
  if (!records.ok) return records
  return fine(
    records.value.flatMap((record) => {
      const { hash, project } = record
      return typeof hash === 'string' && typeof project === 'string' ? [{ hash, project }] : []
    }),
  )
}

/**
 * Record that the user agreed to what `wanted` names.
 * @param now milliseconds since 1970.
 */
export async function recordConsent(
  home: string,
  wanted: Unconsented,
  { project, now }: { readonly project: string; readonly now: number },
): Promise<Result<void>> {
  const made = await makeHome(home)
  if (!made.ok) return made
  const records = await recordsOf(home)
  if (!records.ok) return records
  const { hash, file, items } = wanted
  const record = { hash, project, file, at: new Date(now).toISOString(), items }
  const others = records.value.filter((other) => other.hash !== hash || other.project !== project)
  const { stringify } = await import('yaml')
  return replaceFile(fileOf(home), stringify({ consents: [...others, record] }))
}

type Fields = { readonly [key: string]: Json }

async function recordsOf(home: string): Promise<Result<readonly Fields[]>> {
  const file = await readYaml(fileOf(home), 'user')
  if (!file) return fine([])
  const broken = (problems: readonly Problem[]): Result<never> => ({ ok: false, failure: badSettings(problems) })
  if (file.problems.length > 0) return broken(file.problems)
  const list = file.root.entries.get('consents')
  const value = list ? plain(list) : []
  if (Array.isArray(value)) return fine(value.filter(isFields))
  return broken([{ place: list?.place ?? file.root.place, key: 'consents', message: 'expected a list' }])
}

const isFields = (value: Json): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

async function replaceFile(path: string, text: string): Promise<Result<void>> {
  const draft = `${path}.${process.pid}.tmp`
  try {
    await writeFile(draft, text, { mode: 0o600, flush: true })
    await rename(draft, path)
    return fine(undefined)
  } catch (error) {
    await rm(draft, { force: true })
    return { ok: false, failure: fileTrouble(error, path) }
  }
}
