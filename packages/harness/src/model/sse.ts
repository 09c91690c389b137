import { createParser } from 'eventsource-parser'

/** One event of a stream that carries data. */
export interface SseEvent {
  readonly event: string | undefined
  readonly data: string
  /** The stream ended before the blank line that ends an event; its data may be cut. */
  readonly tail: boolean
}

export interface SseReader {
  /** Bytes as they came, cut anywhere. @returns the events they complete, in order. */
  push(bytes: Uint8Array): readonly SseEvent[]
  /** No more bytes. @returns what was left without its blank line. */
  end(): readonly SseEvent[]
  /** A line or event grew beyond the limit; everything after it is ignored. */
  readonly overflown: boolean
}

/** Characters one event may hold. */
const limit = 32 * 1024 * 1024

/**
 * Bytes to events: UTF-8 is put together before it is looked at, CR, LF and CR LF end a line wherever the network cut
 * them, the space after the colon is optional, a byte order mark is skipped, comments and events without data are
 * ignored. Source: HTML Living Standard §9.2.6.
 */
export const sseReader = (maxBufferSize = limit): SseReader => {
  const decoder = new TextDecoder()
  let events: SseEvent[] = []
  let tail = false
  let overflown = false
  const parser = createParser({
    maxBufferSize,
    onEvent: ({ event, data }) => {
      if (data.trim() !== '') events.push({ event, data, tail })
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') overflown = true
    },
  })
  const feed = (text: string): readonly SseEvent[] => {
    if (!overflown && text !== '') parser.feed(text)
    const found = events
    events = []
    return found
  }
  return {
    push: (bytes) => feed(decoder.decode(bytes, { stream: true })),
    end() {
      const last = decoder.decode()
      tail = true
      return feed(`${last}\n\n`)
    },
    get overflown() {
      return overflown
    },
  }
}
