import type { ImageContent } from '@rein/session'
import { size } from '../view/amount.ts'
import { type Html, html } from './html.ts'

/** Largest picture, and all pictures together, that stand in the page itself, in bytes. */
const one = 8 << 20
const all = 64 << 20

/** How the bytes of each kind begin. Nothing else is given to a browser as a picture. */
const beginnings: Readonly<Record<ImageContent['mime'], (bytes: Buffer) => boolean>> = {
  'image/png': (bytes) => bytes.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')),
  'image/jpeg': (bytes) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff])),
  'image/gif': (bytes) => /^GIF8[79]a/.test(bytes.toString('latin1', 0, 6)),
  'image/webp': (bytes) => /^RIFF[\s\S]{4}WEBP/.test(bytes.toString('latin1', 0, 12)),
}

/** Pictures of one page, inlined as far as there is room. */
export class Pictures {
  readonly #blob: (sha256: string) => Promise<Uint8Array | undefined>
  #room = all

  constructor(blob: (sha256: string) => Promise<Uint8Array | undefined>) {
    this.#blob = blob
  }

  async show({ blob, mime, bytes: told }: ImageContent): Promise<Html> {
    const found = await this.#blob(blob)
    if (!found) return html`<p class="left">[picture, ${mime}: it is missing]</p>`
    const bytes = Buffer.from(found.buffer, found.byteOffset, found.length)
    if (!Object.hasOwn(beginnings, mime) || !beginnings[mime](bytes))
      return html`<p class="left">[picture, ${size(told)}: it is not what it says, ${mime}]</p>`
    if (bytes.length > Math.min(one, this.#room))
      return html`<p class="left">[picture, ${mime}, ${size(bytes.length)}: too large for this page; the ZIP has it]</p>`
    this.#room -= bytes.length
    return html`<img alt="picture" src="data:${mime};base64,${bytes.toString('base64')}">`
  }
}
