import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { type Failure, FailureError, type Result } from '@rein/session'
import { codeOf, diskFailure } from '../disk-failure.ts'
import { archivedName, type Manifest, manifestName, notArchive, readManifest } from './manifest.ts'

/** What an archive may be at most, whatever it says of itself. */
export interface ArchiveLimits {
  /** Bytes of all files together, unpacked. */
  readonly total: number
  readonly files: number
  /** Unpacked bytes a byte of the archive may give, once there are more than `large`. Deflate itself reaches 1,032. */
  readonly ratio: number
  readonly large: number
}

export const archiveLimits: ArchiveLimits = { total: 1 << 30, files: 10_000, ratio: 200, large: 256 << 20 }

/** An archive all of whose bytes were checked against its manifest. Its file stays open until `close`. */
export interface Archive {
  readonly manifest: Manifest
  /** Unpacks a file again, with the same checks. @throws FailureError when the archive changed meanwhile. */
  unpack(name: string): AsyncIterable<Uint8Array>
  close(): Promise<void>
}

interface Entry {
  readonly name: string
  readonly stored: boolean
  readonly packed: number
  readonly size: number
  /** Of its local header. */
  readonly at: number
}

/**
 * Open an archive somebody sent. Nothing is believed: names are those an archive has and no others, sizes are counted
 * and not read, every byte is hashed. Fails `USAGE` with the reason, `FORMAT_TOO_NEW`, and `NOT_FOUND` or `FILE_ERROR`.
 * Source: APPNOTE.TXT 6.3.10 §4.3 (ZIP); ZIP64, encryption and several volumes are refused.
 */
export async function openArchive(path: string, limits: ArchiveLimits = archiveLimits): Promise<Result<Archive>> {
  let file: FileHandle | undefined
  try {
    file = await open(path, 'r')
    const stat = await file.stat()
    if (!stat.isFile()) throw new FailureError(notArchive('it is not a file'))
    const reader = new Reader(file, limits)
    const entries = await reader.entries(stat.size)
    const manifest = await reader.manifest(entries)
    for (const { name } of manifest.files) for await (const _ of reader.checked(entries, manifest, name));
    const opened = file
    const unpack = (name: string) => reader.checked(entries, manifest, name)
    return { ok: true, value: { manifest, unpack, close: () => opened.close() } }
  } catch (cause) {
    await file?.close()
    return { ok: false, failure: failureOf(cause, path) }
  }
}

function failureOf(cause: unknown, path: string): Failure {
  if (cause instanceof FailureError) return cause.failure
  if (codeOf(cause) === undefined) throw cause
  if (codeOf(cause) === 'ENOENT') return { code: 'NOT_FOUND', message: `there is no file ${path}` }
  return diskFailure('FILE_ERROR', `could not read ${path}`, cause)
}

const bad = (why: string): FailureError => new FailureError(notArchive(why))
const shown = (name: string): string => JSON.stringify(name.slice(0, 80))

const manifestLimit = 4 << 20
const directoryLimit = 8 << 20
const endSize = 22
/** Packed bytes unpacked at a time: they give at most a thousand times as many. */
const block = 16 << 10

class Reader {
  readonly #file: FileHandle
  readonly #limits: ArchiveLimits

  constructor(file: FileHandle, limits: ArchiveLimits) {
    this.#file = file
    this.#limits = limits
  }

  /** The directory at the end of the archive, each entry checked by itself and all of them together. */
  async entries(length: number): Promise<ReadonlyMap<string, Entry>> {
    const tail = await this.#read(Math.max(0, length - endSize - 0xffff), Math.min(length, endSize + 0xffff))
    const end = tail.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
    if (end < 0 || tail.length - end < endSize) throw bad('it is no ZIP file, or its end is missing')
    const count = tail.readUInt16LE(end + 10)
    const size = tail.readUInt32LE(end + 12)
    const from = tail.readUInt32LE(end + 16)
    if (count > this.#limits.files) throw bad(`it holds ${count} files, and at most ${this.#limits.files} are read`)
    if (
      tail.readUInt32LE(end + 4) !== 0 ||
      tail.readUInt16LE(end + 8) !== count ||
      from + size > length ||
      size > directoryLimit
    )
      throw bad('its directory does not fit it')
    const directory = await this.#read(from, size)
    const entries = new Map<string, Entry>()
    const taken = new Set<string>()
    let at = 0
    for (let nth = 0; nth < count; nth++) {
      if (at + 46 > size || directory.readUInt32LE(at) !== 0x02014b50) throw bad('its directory is damaged')
      const next = at + 46 + directory.readUInt16LE(at + 28) + directory.readUInt16LE(at + 30)
      const entry = entryOf(directory, at)
      at = next + directory.readUInt16LE(at + 32)
      if (!entry) continue
      if (taken.has(entry.name)) throw bad(`it holds ${shown(entry.name)} twice`)
      taken.add(entry.name)
      entries.set(entry.name, entry)
    }
    this.#fits([...entries.values()], length)
    return entries
  }

  #fits(entries: readonly Entry[], length: number): void {
    const total = entries.reduce((sum, { size }) => sum + size, 0)
    if (total > this.#limits.total)
      throw bad(`unpacked it has ${total} bytes, and at most ${this.#limits.total} are read`)
    // Files that share their packed bytes are how a small archive becomes a large one.
    if (entries.reduce((sum, { packed }) => sum + packed, 0) > length) throw bad('its files overlap')
    if (total > this.#limits.large && total > length * this.#limits.ratio)
      throw bad('it unpacks to far more than it is')
  }

  async manifest(entries: ReadonlyMap<string, Entry>): Promise<Manifest> {
    const entry = entries.get(manifestName)
    if (!entry) throw bad(`it has no ${manifestName}`)
    if (entry.size > manifestLimit) throw bad(`its ${manifestName} is too large`)
    const parts: Uint8Array[] = []
    for await (const bytes of this.#unpack(entry)) parts.push(bytes.slice())
    const manifest = readManifest(Buffer.concat(parts))
    if (!manifest.ok) throw new FailureError(manifest.failure)
    const named = new Set(manifest.value.files.map(({ name }) => name))
    if (named.size !== manifest.value.files.length) throw bad(`its ${manifestName} names a file twice`)
    if (!named.has('log.jsonl')) throw bad('it holds no log')
    for (const name of named) if (!entries.has(name)) throw bad(`${shown(name)} is missing`)
    for (const name of entries.keys())
      if (name !== manifestName && !named.has(name)) throw bad(`${shown(name)} is not in its ${manifestName}`)
    return manifest.value
  }

  async *checked(entries: ReadonlyMap<string, Entry>, manifest: Manifest, name: string): AsyncGenerator<Uint8Array> {
    const entry = entries.get(name)
    const told = manifest.files.find((file) => file.name === name)
    if (!entry || !told) throw bad(`${shown(name)} is missing`)
    const hash = createHash('sha256')
    for await (const bytes of this.#unpack(entry)) {
      hash.update(bytes)
      yield bytes
    }
    const sha256 = hash.digest('hex')
    if (entry.size !== told.bytes || sha256 !== told.sha256)
      throw bad(`${shown(name)} is not what its ${manifestName} says`)
    if (name.startsWith('blobs/') && name !== `blobs/${sha256}`) throw bad(`${shown(name)} is not what its name says`)
  }

  /** Gives exactly `entry.size` bytes, or throws. */
  async *#unpack(entry: Entry): AsyncGenerator<Uint8Array> {
    const { Inflate } = await import('fflate')
    const out: Uint8Array[] = []
    let given = 0
    const inflate = new Inflate((data) => void out.push(data))
    const from = await this.#dataAt(entry)
    for (let done = 0; done < entry.packed || done === 0; done += block) {
      const bytes = await this.#read(from + done, Math.min(block, entry.packed - done))
      if (entry.stored) out.push(bytes)
      else inflated(() => inflate.push(bytes, done + block >= entry.packed), entry.name)
      for (const data of out.splice(0)) {
        given += data.length
        if (given > entry.size) throw bad(`${shown(entry.name)} is larger than it says`)
        yield data
      }
    }
    if (given !== entry.size) throw bad(`${shown(entry.name)} is smaller than it says`)
  }

  async #dataAt({ at, name }: Entry): Promise<number> {
    const header = await this.#read(at, 30)
    if (header.length < 30 || header.readUInt32LE(0) !== 0x04034b50)
      throw bad(`${shown(name)} is not where it should be`)
    const length = header.readUInt16LE(26)
    const local = (await this.#read(at + 30, length)).toString('utf8')
    if (local !== name) throw bad(`${shown(name)} is called ${shown(local)} elsewhere`)
    return at + 30 + length + header.readUInt16LE(28)
  }

  async #read(from: number, length: number): Promise<Buffer> {
    const bytes = Buffer.alloc(length)
    const { bytesRead } = await this.#file.read(bytes, 0, length, from)
    if (bytesRead < length) throw bad('it ends too early')
    return bytes
  }
}

/** @returns undefined for a folder, which says nothing. */
function entryOf(directory: Buffer, at: number): Entry | undefined {
  const name = directory.toString('utf8', at + 46, at + 46 + directory.readUInt16LE(at + 28))
  const method = directory.readUInt16LE(at + 10)
  const [packed, size, local] = [20, 24, 42].map((field) => directory.readUInt32LE(at + field))
  // The upper half is the mode of a Unix file: only a plain one, or none at all, is taken.
  const kind = (directory.readUInt32LE(at + 38) >>> 28) & 0xf
  if (/^(?:blobs|spill|aside)\/$/.test(name)) return undefined
  if (kind !== 0 && kind !== 8) throw bad(`${shown(name)} is a link or no plain file`)
  if (name !== manifestName && !archivedName.test(name)) throw bad(`${shown(name)} does not belong into it`)
  if ((directory.readUInt16LE(at + 8) & 1) !== 0) throw bad(`${shown(name)} is encrypted`)
  if (method !== 0 && method !== 8) throw bad(`${shown(name)} is packed in an unknown way`)
  if (packed === undefined || size === undefined || local === undefined || Math.max(packed, size, local) === 0xffffffff)
    throw bad(`${shown(name)} is too large`)
  if (method === 0 && packed !== size) throw bad(`${shown(name)} has two sizes`)
  return { name, stored: method === 0, packed, size, at: local }
}

function inflated(push: () => void, name: string): void {
  try {
    push()
  } catch (cause) {
    // fflate throws plain errors for what it cannot unpack.
    if (!(cause instanceof Error)) throw cause
    throw new FailureError(notArchive(`${shown(name)} cannot be unpacked`), { cause })
  }
}
