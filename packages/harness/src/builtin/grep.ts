import * as v from 'valibot'
import { absolutePath } from '../files/path.ts'
import { cutText } from '../files/text.ts'
import { type Tool, type ToolOutput, tool } from '../tools/definition.ts'
import { fromValibot } from '../tools/parameters.ts'
import { badPattern, type Place, ripgrep, type Search, type SearchOptions, searchPlace, shownPath } from './ripgrep.ts'
import { text } from './text.ts'

const MOST = 100
/** UTF-8 bytes of all lines shown, context included. */
const MOST_BYTES = 30 * 1024
/** Characters of one line. */
const LINE = 400

const schema = v.strictObject({
  pattern: v.pipe(v.string(), v.nonEmpty()),
  path: v.optional(v.string()),
  glob: v.optional(v.string()),
  ignore_case: v.optional(v.boolean()),
  literal: v.optional(v.boolean()),
  context: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(20))),
  files_only: v.optional(v.boolean()),
})
type Arguments = v.InferOutput<typeof schema>

/** Searches the contents of files. */
export function grepTool({ hidden = [] }: SearchOptions = {}): Tool {
  return tool<Arguments>({
    name: 'grep',
    description: text(import.meta.url, './grep.md'),
    parameters: fromValibot(schema),
    effects: () => 'none',
    parallel: () => true,
    accesses: ({ path }, cwd) => [{ kind: 'read', path: absolutePath(path ?? '.', cwd) }],
    title: ({ pattern, path }) => (path === undefined ? pattern : `${pattern} in ${path}`),
    async run(args, context) {
      const place = await searchPlace(args.path, context.cwd)
      if (!place.ok) return { kind: 'failed', failure: place.failure }
      const files = args.files_only === true
      const found = files ? new FoundFiles(place.value) : new FoundLines(place.value)
      const separator = files ? '\0' : '\n'
      const search: Search = {
        place: place.value,
        hidden: context.mode === 'full-access' ? [] : hidden,
        args: flags(args),
        signal: context.signal,
        separator,
      }
      const done = await ripgrep(search, (line) => found.take(line))
      if (!done.ok) return { kind: 'failed', failure: done.failure }
      const { exitCode, errors } = done.value
      if (exitCode === 2 && found.count === 0) return { kind: 'failed', failure: badPattern(errors, ADVICE) }
      return answer(args.pattern, found, exitCode === 2 ? errors : '')
    },
  })
}

const ADVICE = 'Escape special characters with a backslash, or set `literal`.'

function flags(args: Arguments): string[] {
  const lines = [
    '--line-number',
    '--with-filename',
    '--no-heading',
    `--max-columns=${LINE * 4}`,
    '--max-columns-preview',
  ]
  return [
    '--sort=path',
    ...(args.files_only === true ? ['--files-with-matches'] : lines),
    ...(args.context === undefined || args.files_only === true ? [] : [`--context=${args.context}`]),
    ...(args.ignore_case === true ? ['--ignore-case'] : []),
    ...(args.literal === true ? ['--fixed-strings'] : []),
    ...(/\n|\\n/.test(args.pattern) ? ['--multiline'] : []),
    ...(args.glob === undefined ? [] : [`--glob=${args.glob}`]),
    `--regexp=${args.pattern}`,
  ]
}

interface Found {
  /** Matching lines, or files. */
  readonly count: number
  /** More than is shown was found. */
  readonly more: string | undefined
  readonly lines: readonly string[]
  take(line: string): boolean
}

function answer(pattern: string, found: Found, trouble: string): ToolOutput {
  const notes = [found.more, trouble === '' ? undefined : `[not everything could be searched: ${trouble.trim()}]`]
  const said = notes.filter((note) => note !== undefined)
  const content = [...(found.count === 0 ? [`Nothing matches ${pattern}.`] : found.lines), ...said].join('\n')
  return {
    kind: 'done',
    content,
    view: { kind: 'matches', pattern, count: found.count, more: found.more !== undefined },
  }
}

class FoundFiles implements Found {
  readonly lines: string[] = []
  readonly #place: Place
  #rest = 0

  constructor(place: Place) {
    this.#place = place
  }

  get count(): number {
    return this.lines.length
  }

  get more(): string | undefined {
    return this.#rest > 0 ? `[${this.#rest} more files; narrow the search]` : undefined
  }

  take(line: string): boolean {
    if (this.lines.length < MOST) this.lines.push(shownPath(line, this.#place))
    else this.#rest++
    return true
  }
}

/** What ripgrep prints of a binary file instead of its lines, or behind the first of them. */
const BINARY = /^(.*): ((?:WARNING: stopped searching binary file after match|(binary file matches)) \(found .*\))$/s

/** Matches grouped by file: its path, then `12: text` for a match and `11- text` for context. */
class FoundLines implements Found {
  count = 0
  more: string | undefined
  readonly lines: string[] = []
  readonly #place: Place
  #file = ''
  #bytes = 0
  #gap = false
  /** Lines printed of a path that is not at its end. */
  #begun = ''

  constructor(place: Place) {
    this.#place = place
  }

  take(printed: string): boolean {
    if (printed === '--' && this.#begun === '') {
      this.#gap = true
      return true
    }
    // What has no number is the beginning of a path that holds a line feed, or a note.
    const line = this.#begun + printed
    this.#begun = ''
    const parts = /^([^\0]*)\0(\d+)([:-])(.*)$/s.exec(line)
    if (parts === null) return this.#other(line)
    const [, file = '', number, mark, text = ''] = parts
    if (mark === ':' && this.count === MOST) return this.#stop(`[only the first ${MOST} matches; narrow the search]`)
    const shown = `${number}${mark} ${short(text)}`
    this.#bytes += Buffer.byteLength(shown)
    if (this.#bytes > MOST_BYTES)
      return this.#stop('[more matches were left out to keep this short; narrow the search]')
    if (file !== this.#file) this.lines.push(...(this.lines.length > 0 ? [''] : []), shownPath(file, this.#place))
    else if (this.#gap) this.lines.push('…')
    this.#gap = false
    this.#file = file
    this.lines.push(shown)
    if (mark === ':') this.count++
    return true
  }

  #other(line: string): boolean {
    const [, file, said, matches] = BINARY.exec(line) ?? []
    if (file === undefined || said === undefined) {
      this.#begun = `${line}\n`
      return true
    }
    // A file whose first matches were shown is no further match.
    if (matches !== undefined) this.count++
    this.lines.push(`${shownPath(file, this.#place)}: ${said}`)
    return this.lines.length < MOST * 2
  }

  #stop(note: string): boolean {
    this.more = note
    return false
  }
}

function short(text: string): string {
  const line = text.replace(/\r$/, '')
  const cut = cutText(line, LINE)
  return cut.length < line.length ? `${cut}…` : cut
}
