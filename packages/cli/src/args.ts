import { parseArgs } from 'node:util'
import { valueProblem } from './flag-value.ts'
import { commands, type Flag, flags } from './flags.ts'

/** The command line, checked: only flags that make sense for the command, each with the kind of value it takes. */
export interface Args {
  /** '' is the session itself; two words where one stands under another, as in `sessions title`. */
  readonly command: string
  /** What stands after the command and is no flag; the files of `-p` among them. */
  readonly words: readonly string[]
  /** Whether the flag was given. */
  has(flag: string): boolean
  /** The last value given; two words are joined by a space. */
  value(flag: string): string | undefined
  values(flag: string): readonly string[]
}

/** The flag of that name; where several commands have one of it each, that of the command. */
function flagOf(name: string, command: string): Flag | undefined {
  const rows = flags.filter((flag) => flag.name === name)
  return rows.find(({ on }) => on.includes(command)) ?? rows[0]
}

const options = Object.fromEntries(
  flags.map(({ name, short, value }) => [
    name,
    { type: value === undefined ? 'boolean' : 'string', multiple: true, ...(short && { short }) } as const,
  ]),
)

type Token = { readonly index: number } & (
  | {
      readonly kind: 'option'
      readonly name: string
      readonly rawName: string
      readonly value?: string | undefined
      readonly inlineValue?: boolean | undefined
    }
  | { readonly kind: 'positional'; readonly value: string }
  | { readonly kind: 'option-terminator' }
)

/** What is wrong with a command line; `problemText` puts it in words, which nobody else pays for. */
export type Problem =
  | { readonly kind: 'unknown-flag'; readonly raw: string }
  | { readonly kind: 'stray-word'; readonly word: string }
  | { readonly kind: 'choice'; readonly flag: string; readonly value: string; readonly choices: readonly string[] }
  | { readonly kind: 'told'; readonly message: string }

export type CommandLine = { readonly ok: true; readonly args: Args } | { readonly ok: false; readonly problem: Problem }

/** Read the words after `rein`. */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true })
  const read = new Reading(tokens)
  const problem = read.problem()
  return problem === undefined ? { ok: true, args: read.args() } : { ok: false, problem }
}

/** One command line, its flags by name and its words in order. */
class Reading {
  readonly #given = new Map<string, string[]>()
  readonly #words: string[] = []
  readonly #problems: Problem[] = []
  #command = ''
  /** Behind `--` a word is never the name of a command under another. */
  #plain = false

  constructor(tokens: readonly Token[]) {
    const taken = new Set<Token>()
    for (const token of tokens) {
      if (taken.has(token)) continue
      if (token.kind === 'option-terminator') this.#plain = true
      else if (token.kind === 'option') {
        const second = wantsSecond(token) ? tokens.find(({ index }) => index === token.index + 2) : undefined
        if (second?.kind === 'positional') taken.add(second)
        this.#option(token, second?.kind === 'positional' ? second.value : undefined)
      } else this.#word(token.value)
    }
  }

  /** What is wrong, the first thing first. */
  problem(): Problem | undefined {
    if (this.#given.has('help') || this.#given.has('version')) return this.#problems[0]
    const message = this.#problems.length > 0 ? undefined : (this.#misplaced() ?? this.#wordCount())
    return this.#problems[0] ?? (message === undefined ? undefined : { kind: 'told', message })
  }

  args(): Args {
    const given: ReadonlyMap<string, readonly string[]> = this.#given
    return {
      command: this.#command,
      words: this.#words,
      has: (flag) => given.has(flag),
      value: (flag) => given.get(flag)?.at(-1),
      values: (flag) => given.get(flag) ?? [],
    }
  }

  /** The first word is the command, unless a task was given before it: then it is one of its files. */
  #word(value: string): void {
    const under = `${this.#command} ${value}`
    if (!this.#plain && this.#words.length === 0 && commands.some(({ name }) => name === under)) this.#command = under
    else this.#plainWord(value)
  }

  #plainWord(value: string): void {
    if (this.#command !== '' || this.#given.has('print')) this.#words.push(value)
    else if (commands.some(({ name }) => name === value)) this.#command = value
    else this.#problems.push({ kind: 'stray-word', word: value })
  }

  #option(token: Extract<Token, { kind: 'option' }>, second: string | undefined): void {
    const flag = flagOf(token.name, this.#command)
    if (!flag) {
      this.#problems.push({ kind: 'unknown-flag', raw: token.rawName })
      return
    }
    const value = second === undefined ? token.value : `${token.value} ${second}`
    const problem = valueProblem(flag, value, token.inlineValue)
    if (problem !== undefined) this.#problems.push({ kind: 'told', message: problem })
    else if (value !== undefined && flag.choices?.includes(value) === false) {
      this.#problems.push({ kind: 'choice', flag: flag.name, value, choices: flag.choices })
    }
    this.#given.set(flag.name, [...(this.#given.get(flag.name) ?? []), value ?? ''])
  }

  #misplaced(): string | undefined {
    if ((this.#given.get('print')?.length ?? 0) > 1) return '-p is given twice, and a run has one task'
    const session = this.#command === '' || this.#command === 'resume'
    for (const name of this.#given.keys()) {
      const { on = [], headless }: Partial<Flag> = flagOf(name, this.#command) ?? {}
      if (on.length > 0 && !on.includes(this.#command)) {
        const where = on.map((command) => (command === '' ? 'rein' : `rein ${command}`)).join(', ')
        return `--${name} makes no sense for ${this.#command === '' ? 'a session' : `rein ${this.#command}`}; it is for ${where}`
      }
      if (session && headless && !this.#given.has('print')) return `--${name} makes sense only with -p`
    }
    return undefined
  }

  #wordCount(): string | undefined {
    const row = commands.find(({ name }) => name === this.#command)
    if (this.#command === 'resume' && !this.#given.has('print') && this.#words.length > 1) {
      return `resume takes one id, and "${this.#words[1]}" is one too many`
    }
    const [least, most] = row?.words ?? [0, Number.POSITIVE_INFINITY]
    if (this.#words.length > most) return `${this.#command} takes no "${this.#words[most]}"`
    return this.#words.length < least ? `${this.#command} needs ${row?.takes}` : undefined
  }
}

/** A flag of two words whose first stands alone: `--diff 1 2`, and not `--diff=1 2` nor `--diff "1 2"`. */
const wantsSecond = ({ name, value }: Extract<Token, { kind: 'option' }>): boolean =>
  (flagOf(name, '')?.value ?? '').includes(' ') && value !== undefined && !value.includes(' ')
