import type { ClientRequest } from 'node:http'

/** One write to the kernel carries at most so many pieces or bytes, so that the first byte leaves at once. */
const group = { pieces: 64, bytes: 65_536 }

/** Resolves when the request takes more, or never will. */
const room = (request: ClientRequest): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      request.off('drain', done).off('close', done)
      resolve()
    }
    request.on('drain', done).on('close', done)
  })

/**
 * Send a body piece by piece, never joined, at the pace of the socket; stops when the request is destroyed.
 * @param progress called after each group that had to wait: the peer is alive and taking bytes.
 */
export const sendBody = async (request: ClientRequest, body: readonly Uint8Array[], progress: () => void) => {
  let at = 0
  while (at < body.length && !request.destroyed) {
    let free = true
    let bytes = 0
    const first = at
    request.cork()
    for (let piece = body[at]; piece !== undefined; piece = body[at]) {
      if (at - first >= group.pieces || bytes >= group.bytes) break
      free = request.write(piece)
      bytes += piece.byteLength
      at++
    }
    request.uncork()
    if (!free) {
      await room(request)
      progress()
    }
  }
  if (!request.destroyed) request.end()
}
