import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { contentHash } from '../files/hash.ts'
import { errnoOf } from '../files/trouble.ts'
import { ownName } from './own-name.ts'

/** First byte of an object: how the rest is written. */
const raw = 0
const deflated = 1
/** Smaller content is not worth packing: a file takes at least one block of the disk. */
const worthPacking = 4096
/** Names come from logs too, and a log somebody sent names what it likes. */
const objectName = /^[0-9a-f]{64}$/

/**
 * Contents by their SHA-256, a file each, readable by their owner alone. Synchronous, for the thread of its own it
 * runs on. An object is written whole under another name first, so that several processes may write the same one.
 */
export class Objects {
  readonly folder: string
  #known: Set<string> | undefined

  constructor(folder: string) {
    this.folder = folder
  }

  /** Look again at what is there: after somebody else removed objects. */
  forget(): void {
    this.#known = undefined
  }

  has(hash: string): boolean {
    this.#known ??= new Set(objectNames(this.folder))
    return this.#known.has(hash)
  }

  /** @param hash that of `bytes`. */
  put(hash: string, bytes: Buffer): void {
    if (this.has(hash)) return
    const folder = join(this.folder, hash.slice(0, 2))
    const temporary = join(folder, `.${ownName()}.tmp`)
    writeWhole(temporary, packed(bytes), folder)
    renameSync(temporary, join(folder, hash.slice(2)))
    this.#known?.add(hash)
  }

  /** @returns undefined when it is not kept any more. What is kept and damaged is removed, so that it can be kept anew. */
  get(hash: string): Buffer | undefined {
    if (!objectName.test(hash)) return undefined
    const path = join(this.folder, hash.slice(0, 2), hash.slice(2))
    try {
      const bytes = unpacked(readFileSync(path))
      if (bytes && contentHash(bytes) === hash) return bytes
      unlinkSync(path)
    } catch (error) {
      if (errnoOf(error) === undefined) throw error
    }
    this.#known?.delete(hash)
    return undefined
  }
}

/** Names of all objects, in no order. */
export function objectNames(folder: string): string[] {
  return listed(folder).flatMap((two) =>
    listed(join(folder, two)).flatMap((rest) => (rest.startsWith('.') ? [] : [two + rest])),
  )
}

/** Names in a folder; none when it is not there. */
export function listed(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return []
    throw error
  }
}

function writeWhole(path: string, parts: readonly Buffer[], folder: string): void {
  let file: number
  try {
    file = openSync(path, 'wx', 0o600)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    file = openSync(path, 'wx', 0o600)
  }
  try {
    for (const part of parts) for (let at = 0; at < part.length; ) at += writeSync(file, part, at)
  } finally {
    closeSync(file)
  }
}

function packed(bytes: Buffer): readonly Buffer[] {
  if (bytes.length > worthPacking) {
    const small = deflateRawSync(bytes, { level: 1 })
    if (small.length < bytes.length * 0.9) return [Buffer.concat([Buffer.of(deflated), small])]
  }
  return bytes.length > 1024 ** 2 ? [Buffer.of(raw), bytes] : [Buffer.concat([Buffer.of(raw), bytes])]
}

function unpacked(stored: Buffer): Buffer | undefined {
  const rest = stored.subarray(1)
  if (stored[0] === raw) return rest
  if (stored[0] !== deflated) return undefined
  try {
    return inflateRawSync(rest)
  } catch {
    // Cut or damaged: the same as not there.
    return undefined
  }
}
