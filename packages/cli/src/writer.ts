import type { Writable } from 'node:stream'

/** The reader of stdout closed it. */
export class ReaderGone extends Error {
  constructor() {
    super('the reader of the output is gone')
    this.name = 'ReaderGone'
  }
}

/** How a reader that left shows itself. */
const left: ReadonlySet<string | undefined> = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED'])

/**
 * Writes text, one after the other; resolves when the reader's side took it, so that a slow reader loses nothing and
 * a fast writer fills no memory. Rejects with `ReaderGone` once the reader closed its side, or the disk is full.
 * @param tell is told once why, when it was not a reader that left: then somebody waits for what was not written.
 */
export function writer(stream: Writable, tell: (text: string) => void): (text: string) => Promise<void> {
  let gone: Error | undefined
  // Without a listener a closed pipe would end the program with a stack trace.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (gone === undefined && !left.has(error.code)) tell(`rein: the output could not be written: ${error.message}\n`)
    gone ??= error
  })
  return (text) => {
    if (gone !== undefined) return Promise.reject(new ReaderGone())
    return new Promise((resolve, reject) => {
      stream.write(text, (error) => (error ? reject(new ReaderGone()) : resolve()))
    })
  }
}
