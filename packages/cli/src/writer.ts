import type { Writable } from 'node:stream'

/** The reader of stdout closed it. */
export class ReaderGone extends Error {
  constructor() {
    super('the reader of the output is gone')
    this.name = 'ReaderGone'
  }
}

/**
 * Writes text, one after the other; resolves when the reader's side took it, so that a slow reader loses nothing and
 * a fast writer fills no memory. Rejects with `ReaderGone` once the reader closed its side.
 */
export function writer(stream: Writable): (text: string) => Promise<void> {
  let gone: unknown
  // Without a listener a closed pipe would end the program with a stack trace.
  stream.on('error', (error) => {
    gone ??= error
  })
  return (text) => {
    if (gone !== undefined) return Promise.reject(new ReaderGone())
    return new Promise((resolve, reject) => {
      stream.write(text, (error) => (error ? reject(new ReaderGone()) : resolve()))
    })
  }
}
