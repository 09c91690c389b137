import type { Failure } from '@rein/session'
import type { Body } from '../net/body.ts'
import type { Chunk } from './chunk.ts'

/** Turns the bytes of one reply into chunks, one dialect each. Equal bytes give equal chunks, however they were cut. */
export interface Decoder {
  /** @returns what these bytes complete. */
  push(bytes: Uint8Array): readonly Chunk[]
  /**
   * No more bytes; call it once.
   * @param cut why the body ended early; undefined when it ended cleanly.
   * @returns the last chunks, `finish` or `failed` among them unless it was given before.
   */
  end(cut?: Failure): readonly Chunk[]
  /** `finish` or `failed` was given: whatever follows on the wire is not part of the reply. */
  readonly over: boolean
}

/** The chunks of a body. Stops reading as soon as the reply is over; an aborted body just ends. */
export async function* decode(body: Body, decoder: Decoder): AsyncGenerator<Chunk> {
  let any = false
  for await (const bytes of body.bytes) {
    if (!any) yield { kind: 'moment', at: 'first-byte' }
    any = true
    yield* decoder.push(bytes)
    if (decoder.over) return
  }
  const ending = body.ending()
  if (ending.kind === 'aborted') return
  yield* decoder.end(ending.kind === 'early' ? ending.failure : undefined)
}
