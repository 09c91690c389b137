/**
 * The simple commands in a shell command, each as its words, as far as quotes and operators tell without a parser.
 * It finds too many rather than too few: what stands in `$(…)`, backticks, parentheses or braces, and the text given
 * to `sh -c` and `eval`, is a command of its own. Meant for recognising danger, never for allowing anything.
 */
export function shellCommands(command: string, depth = 0): readonly (readonly string[])[] {
  const commands = split(command)
  if (depth >= 4) return commands
  return commands.flatMap((words) => [words, ...inner(words).flatMap((text) => shellCommands(text, depth + 1))])
}

/** Texts among the words that are commands again. */
function inner(words: readonly string[]): readonly string[] {
  if (words.some((word) => /^(?:eval|ssh|su)$/.test(baseName(word)))) return [words.slice(1).join(' ')]
  const shell = words.findIndex((word) => /^(?:ba|da|z|k|fi)?sh$/.test(baseName(word)))
  const flag = shell < 0 ? -1 : words.findIndex((word, at) => at > shell && /^-\w*c$/.test(word))
  const text = flag < 0 ? undefined : words[flag + 1]
  return text === undefined ? [] : [text]
}

export const baseName = (word: string): string => word.slice(word.lastIndexOf('/') + 1)

type Quote = '"' | "'" | undefined

/** Reads a command character by character. */
class Splitter {
  readonly commands: string[][] = []
  #words: string[] = []
  #word: string | undefined
  #quote: Quote
  /** What was quoted around each `$(` that is open, and around an open backtick. */
  readonly #around: Quote[] = []
  #tick: { readonly around: Quote } | undefined

  /** @returns how many characters it took. */
  take(char: string, next: string): number {
    if (this.#quote === "'") return this.#single(char)
    if (char === '\\') return this.#escape(next)
    if (char === '`') return this.#backtick()
    if (char === '$' && next === '(') {
      this.#around.push(this.#quote)
      return this.#cut(undefined, 2)
    }
    if (char === this.#quote) return this.#cutQuote(undefined)
    if (this.#quote === '"') return this.#add(char)
    if (char === '"' || char === "'") return this.#cutQuote(char)
    if (char === ')') return this.#cut(this.#around.pop(), 1)
    if (/[;&|\n({}]/.test(char)) return this.#cut(undefined, 1)
    return /\s/.test(char) ? this.#space() : this.#add(char)
  }

  end(): readonly (readonly string[])[] {
    this.#cut(undefined, 0)
    return this.commands
  }

  #single(char: string): number {
    return char === "'" ? this.#cutQuote(undefined) : this.#add(char)
  }

  #escape(next: string): number {
    this.#add(next === '\n' ? '' : next)
    return 2
  }

  #backtick(): number {
    const open = this.#tick
    this.#tick = open ? undefined : { around: this.#quote }
    return this.#cut(open?.around, 1)
  }

  #add(text: string): number {
    this.#word = (this.#word ?? '') + text
    return 1
  }

  #space(): number {
    if (this.#word !== undefined) this.#words.push(this.#word)
    this.#word = undefined
    return 1
  }

  #cutQuote(quote: Quote): number {
    this.#quote = quote
    return this.#add('')
  }

  /** End of a simple command; what follows stands in `quote`. */
  #cut(quote: Quote, taken: number): number {
    this.#space()
    if (this.#words.length > 0) this.commands.push(this.#words)
    this.#words = []
    this.#quote = quote
    return taken
  }
}

function split(command: string): readonly (readonly string[])[] {
  // A redirection is a word of its own, whether or not blanks stand around it.
  const spaced = command.replaceAll(/[<>]+[&|]?/g, ' $& ')
  const splitter = new Splitter()
  for (let at = 0; at < spaced.length; ) at += splitter.take(spaced[at] ?? '', spaced[at + 1] ?? '')
  return splitter.end()
}
