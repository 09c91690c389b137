import type { Transform } from 'node:stream'
import { FailureError } from '@rein/session'

const refuse = (message: string): never => {
  throw new FailureError({ code: 'BAD_RESPONSE', message, next: 'Check what stands between here and the server.' })
}

/** Flushing with every piece keeps a stream a stream, and makes a cut one give all it had. */
const open = async (encoding: string): Promise<Transform> => {
  const zlib = await import('node:zlib')
  const flush = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH }
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip(flush)
    case 'deflate':
      return zlib.createInflate(flush)
    case 'br':
      return zlib.createBrotliDecompress({
        flush: zlib.constants.BROTLI_OPERATION_FLUSH,
        finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH,
      })
    default:
      return refuse(`the reply is encoded as "${encoding.slice(0, 40)}", which was not asked for`)
  }
}

/**
 * @param encoding the reply's `content-encoding`; gzip, deflate, br, identity or none.
 * @throws FailureError `BAD_RESPONSE` for another encoding or bytes that do not decode; whatever the source threw.
 */
export async function* decompress(
  encoding: string | undefined,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const name = encoding?.trim().toLowerCase() ?? ''
  if (name === '' || name === 'identity') {
    yield* source
    return
  }
  const decoder = await open(name)
  let broken: unknown
  const fed = (async () => {
    try {
      for await (const piece of source) {
        if (decoder.destroyed) return
        await new Promise<void>((resolve) => decoder.write(piece, () => resolve()))
      }
    } catch (error) {
      broken = error
    }
    decoder.end()
  })()
  try {
    yield* decoder
  } catch {
    refuse(`the reply does not decode as ${name}`)
  } finally {
    decoder.destroy()
  }
  await fed
  if (broken !== undefined) throw broken
}
