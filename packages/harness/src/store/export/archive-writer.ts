import { createHash } from 'node:crypto'
import type { Zip } from 'fflate'
import { type ArchivedFile, type Manifest, manifestName } from './manifest.ts'

/** One file to go into an archive. */
export interface Packed {
  readonly name: string
  readonly bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** What is known of an archive before its files were read. */
export type Cover = Omit<Manifest, 'files' | 'format' | 'version'>

/** Bytes deflated at a time. */
const part = 1 << 20

/**
 * An archive as a stream of bytes, each file read once; the manifest stands behind the files it names.
 * @param cover asked for when the files were read, for what is only known then.
 */
export async function* archive(files: AsyncIterable<Packed>, cover: () => Cover): AsyncGenerator<Uint8Array> {
  const { Zip, ZipDeflate } = await import('fflate')
  const out: Uint8Array[] = []
  const zip: Zip = new Zip((error, data) => {
    if (error) throw error
    if (data.length > 0) out.push(data)
  })
  const add = (name: string) => {
    const file = new ZipDeflate(name, { level: 6 })
    zip.add(file)
    return file
  }
  const packed: ArchivedFile[] = []
  for await (const { name, bytes } of files) {
    const file = add(name)
    const hash = createHash('sha256')
    let size = 0
    for await (const block of bytes) {
      hash.update(block)
      size += block.length
      for (let from = 0; from < block.length; from += part) file.push(block.slice(from, from + part))
      yield* out.splice(0)
    }
    file.push(new Uint8Array(0), true)
    packed.push({ name, bytes: size, sha256: hash.digest('hex') })
    yield* out.splice(0)
  }
  const manifest: Manifest = { format: 'rein-session-archive', version: 1, ...cover(), files: packed }
  add(manifestName).push(Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), true)
  zip.end()
  yield* out.splice(0)
}
