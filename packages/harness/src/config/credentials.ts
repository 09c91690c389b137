import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Failure, Result } from '@rein/session'
import { errnoOf, failed, fileTrouble, fine } from '../files/trouble.ts'
import type { RegisteredSecrets } from '../secret/registered.ts'
import { badSettings } from './problem.ts'
import type { KeySource } from './settings.ts'
import { parseYaml } from './yaml-file.ts'

/** How a provider authenticates. */
export type Credential =
  /** The provider wants no key. */
  | { readonly kind: 'none' }
  /** Nobody said where a key is; `next` says how to. A request may be tried without, or refused with this. */
  | { readonly kind: 'not-configured'; readonly failure: Failure }
  | {
      readonly kind: 'key'
      /** Where it comes from, for people: `DEEPSEEK_API_KEY`, or a file. */
      readonly from: string
      /**
       * Read now, so that a key that was renewed is seen; registered as a secret before it is returned. Fails
       * `NO_CREDENTIAL`, naming the variable or file, when the source holds no usable key. No other is ever tried.
       */
      readonly read: () => Promise<Result<string>>
      /** Whether the key read last cannot be kept out of logs and requests, such as one too short to be told from text. */
      readonly unprotected: () => boolean
    }

export interface CredentialOptions {
  readonly provider: string
  /** From the provider's settings; undefined asks `credentials.yaml`. */
  readonly source: KeySource | undefined
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly registered: RegisteredSecrets
}

/** Fails `NO_CREDENTIAL` when `credentials.yaml` is needed and cannot be trusted or read. */
export async function credentialOf(options: CredentialOptions): Promise<Result<Credential>> {
  const { provider, source, env, home } = options
  let unprotected = false
  const key = (from: string, read: () => Promise<Result<string>>): Result<Credential> =>
    fine({ kind: 'key', from, read, unprotected: () => unprotected })
  const usable = (value: string | undefined, from: string): Result<string> => {
    const problem = problemOf(value)
    if (value === undefined || problem !== undefined) {
      return missing(`The key of provider ${provider} is configured as ${from}, but ${problem}.`)
    }
    unprotected = !options.registered.add(value)
    return fine(value)
  }
  if (source === 'none') return fine({ kind: 'none' })
  if (source !== undefined && 'env' in source) {
    const name = source.env
    return key(name, async () => usable(env[name]?.trim(), `the variable ${name}`))
  }
  if (source !== undefined) {
    const { file } = source
    return key(file, async () => {
      const content = await readKeyFile(file)
      return content.ok ? usable(content.value?.trim(), `the file ${file}`) : content
    })
  }
  const file = join(home, 'credentials.yaml')
  const keys = await readCredentials(file)
  if (!keys.ok) return keys
  if (!keys.value.has(provider)) return fine({ kind: 'not-configured', failure: notConfigured(provider, file) })
  return key(file, async () => {
    const now = await readCredentials(file)
    return now.ok ? usable(now.value.get(provider), `an entry of ${file}`) : now
  })
}

/** Why a value cannot be a key; undefined when it can. Printable ASCII only: it becomes a header field. */
function problemOf(value: string | undefined): string | undefined {
  if (value === undefined) return 'nothing is there'
  if (value === '') return 'it is empty'
  return /^[\x21-\x7e]+$/.test(value) ? undefined : 'it holds a space, a line break or a character no key has'
}

const missing = (message: string): { ok: false; failure: Failure } =>
  failed('NO_CREDENTIAL', message, 'Set it, or change where the key comes from. No other key is tried.')

const notConfigured = (provider: string, file: string): Failure => ({
  code: 'NO_CREDENTIAL',
  message: `Provider ${provider} has no key: neither its settings nor ${file} names one.`,
  next: `Add "${provider}: KEY" to ${file} (mode 0600), or set providers.${provider}.key.`,
})

/** @returns undefined when there is no such file. */
async function readKeyFile(file: string): Promise<Result<string | undefined>> {
  const content = await readPrivate(file, () => undefined)
  return content.ok ? fine(content.value && new TextDecoder().decode(content.value)) : content
}

/** Keys by provider name. Refused when others can read the file: then they may have the keys already. */
async function readCredentials(file: string): Promise<Result<ReadonlyMap<string, string>>> {
  const content = await readPrivate(file, (mode) =>
    process.platform !== 'win32' && (mode & 0o077) !== 0
      ? `${file} can be read by others (mode ${(mode & 0o777).toString(8)}).`
      : undefined,
  )
  if (!content.ok) return content
  if (content.value === undefined) return fine(new Map())
  const { root, problems } = await parseYaml(content.value, { layer: 'user', file })
  const notText = [...root.entries].flatMap(([key, { kind, place, ...node }]) =>
    kind === 'leaf' && 'value' in node && typeof node.value === 'string'
      ? []
      : [{ place, key, message: 'expected a key as text (in quotes when it looks like a number)' }],
  )
  const all = [...problems, ...notText]
  if (all.length > 0) return { ok: false, failure: { ...badSettings(all), code: 'NO_CREDENTIAL' } }
  return fine(
    new Map([...root.entries].map(([key, node]) => [key, node.kind === 'leaf' ? String(node.value).trim() : ''])),
  )
}

/** @param refuse is given the mode of the opened file, and says why it is not to be used. */
async function readPrivate(
  file: string,
  refuse: (mode: number) => string | undefined,
): Promise<Result<Uint8Array | undefined>> {
  try {
    const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const info = await handle.stat()
      const reason = info.isFile() ? refuse(info.mode) : `${file} is not a file.`
      if (reason !== undefined) return failed('NO_CREDENTIAL', reason, `chmod 600 ${file}`)
      return fine(await handle.readFile())
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return fine(undefined)
    return { ok: false, failure: { ...fileTrouble(error, file), code: 'NO_CREDENTIAL' } }
  }
}
