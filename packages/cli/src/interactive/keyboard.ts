import { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { Pastes, type Piece } from './pastes.ts'

/** How long more of the same may be on its way, in milliseconds: less than anybody needs for a key. */
const momentMs = 20
/** After this long without a byte a paste has ended, also without its mark: else no key would be heard any more. */
const lostEndMs = 1_000

/** What a terminal sends, with pastes taken out: keys are read from it, pastes are told. */
export class Keyboard extends Readable {
  readonly #stdin: NodeJS.ReadStream
  readonly #pasted: (text: string) => void
  readonly #pastes = new Pastes()
  readonly #decoder = new StringDecoder('utf8')
  #timer: NodeJS.Timeout | undefined

  constructor(stdin: NodeJS.ReadStream, pasted: (text: string) => void) {
    super()
    this.#stdin = stdin
    this.#pasted = pasted
    stdin.on('data', this.#data).on('end', this.#over).on('error', this.#over)
  }

  /** A line is edited key by key. */
  setRawMode(on: boolean): this {
    this.#stdin.setRawMode(on)
    return this
  }

  override _read(): void {
    this.#stdin.resume()
  }

  /** Hear nothing more; the terminal is as it was. */
  close(): void {
    clearTimeout(this.#timer)
    this.#stdin.off('data', this.#data).off('end', this.#over).off('error', this.#over).pause()
  }

  readonly #data = (bytes: Uint8Array | string): void => {
    clearTimeout(this.#timer)
    this.#give(this.#pastes.take(typeof bytes === 'string' ? bytes : this.#decoder.write(bytes)))
    const { waits } = this.#pastes
    if (waits === 'nothing') return
    this.#timer = setTimeout(() => this.#give(this.#pastes.rest()), waits === 'moment' ? momentMs : lostEndMs)
  }

  /** A terminal that went away has ended, too. */
  readonly #over = (): void => {
    clearTimeout(this.#timer)
    this.#give(this.#pastes.rest())
    this.push(null)
  }

  #give(pieces: readonly Piece[]): void {
    for (const { kind, text } of pieces) {
      if (kind === 'keys') this.push(text)
      else this.#pasted(text)
    }
  }
}
