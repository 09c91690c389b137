/** Characters kept in all. */
const MOST = 4 * 1024 * 1024

/**
 * Texts of file versions seen lately, by content hash, so that a stale answer can say what changed. Only a help: a
 * version that is not here any more is answered without a diff.
 */
export class RecentTexts {
  readonly #texts = new Map<string, string>()
  #size = 0

  keep(hash: string, text: string): void {
    this.#drop(hash)
    if (text.length > MOST / 4) return
    this.#texts.set(hash, text)
    this.#size += text.length
    for (const oldest of this.#texts.keys()) {
      if (this.#size <= MOST) break
      this.#drop(oldest)
    }
  }

  get(hash: string): string | undefined {
    return this.#texts.get(hash)
  }

  #drop(hash: string): void {
    this.#size -= this.#texts.get(hash)?.length ?? 0
    this.#texts.delete(hash)
  }
}
