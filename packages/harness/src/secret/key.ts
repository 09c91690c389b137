import { randomBytes } from 'node:crypto'
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { FailureError } from '@rein/session'

/**
 * The key of the placeholders' marks: 32 random bytes in a file of mode 0600, made when it is first needed.
 * Synchronous, because a secret is hidden before the event that holds it is appended; happens once a process.
 * @throws FailureError `FILE_ERROR` when the key can neither be read nor made: nothing may be logged unhidden.
 */
export function secretKey(path: string, random: (size: number) => Uint8Array = randomBytes): () => Uint8Array {
  let key: Uint8Array | undefined
  return () => {
    key ??= readKey(path) ?? makeKey(path, random)
    return key
  }
}

function makeKey(path: string, random: (size: number) => Uint8Array): Uint8Array {
  const bytes = random(32)
  const draft = `${path}.${process.pid}.${Buffer.from(random(6)).toString('hex')}`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(draft, `${Buffer.from(bytes).toString('hex')}\n`, { mode: 0o600, flag: 'wx' })
    chmodSync(draft, 0o600)
    // A link appears whole or not at all, and never takes the place of a key another process made meanwhile.
    linkSync(draft, path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw broken(path, String(error))
  } finally {
    rmSync(draft, { force: true })
  }
  const kept = readKey(path)
  if (!kept) throw broken(path, 'it vanished while it was made')
  return kept
}

function readKey(path: string): Uint8Array | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw broken(path, String(error))
  }
  if (!/^[0-9a-f]{64}$/.test(text)) throw broken(path, 'it does not hold 64 hexadecimal digits')
  return Buffer.from(text, 'hex')
}

const broken = (path: string, why: string): FailureError =>
  new FailureError({
    code: 'FILE_ERROR',
    message: `the key that hides secrets, ${path}, cannot be used: ${why}`,
    next: 'Make the folder writable, or remove the file so that a new key is made; old placeholders then no longer match.',
  })

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
