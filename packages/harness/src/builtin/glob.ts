import * as v from 'valibot'
import { absolutePath } from '../files/path.ts'
import { type Tool, type ToolOutput, tool } from '../tools/definition.ts'
import { fromValibot } from '../tools/parameters.ts'
import { type Place, ripgrep, type SearchOptions, searchPlace, shownPath } from './ripgrep.ts'
import { text } from './text.ts'

const MOST = 100

const schema = v.strictObject({
  pattern: v.pipe(v.string(), v.nonEmpty()),
  path: v.optional(v.pipe(v.string(), v.description('Directory; default the working directory'))),
  newest: v.optional(v.boolean()),
})

/** Lists files by name pattern. */
export function globTool({ hidden = [] }: SearchOptions = {}): Tool {
  return tool<v.InferOutput<typeof schema>>({
    name: 'glob',
    description: text(import.meta.url, './glob.md'),
    parameters: fromValibot(schema),
    effects: () => 'none',
    parallel: () => true,
    accesses: ({ path }, cwd) => [{ kind: 'read', path: absolutePath(path ?? '.', cwd) }],
    title: ({ pattern, path }) => (path === undefined ? pattern : `${pattern} in ${path}`),
    async run({ pattern, path, newest }, context) {
      const place = await searchPlace(path, context.cwd)
      if (!place.ok) return { kind: 'failed', failure: place.failure }
      if (!place.value.isDirectory) {
        const message = `${path} is a file; glob looks in a directory.`
        return { kind: 'failed', failure: { code: 'INVALID_ARGUMENTS', message } }
      }
      const passedOver = context.mode === 'full-access' ? [] : hidden
      return list(place.value, { pattern, newest: newest === true, hidden: passedOver }, context.signal)
    },
  })
}

interface Wanted {
  readonly pattern: string
  readonly newest: boolean
  readonly hidden: readonly string[]
}

async function list(place: Place, { pattern, newest, hidden }: Wanted, signal: AbortSignal): Promise<ToolOutput> {
  const matches = await matcher(pattern, place)
  const found: string[] = []
  let total = 0
  const args = ['--files', newest ? '--sortr=modified' : '--sort=path']
  const done = await ripgrep({ place, hidden, args, signal, separator: '\0' }, (line) => {
    const name = line.replace(/^\.\//, '')
    if (!matches(name)) return true
    total++
    if (found.length < MOST) found.push(shownPath(name, place))
    return true
  })
  if (!done.ok) return { kind: 'failed', failure: done.failure }
  const rest = total > found.length ? [`[${total - found.length} more; narrow the pattern or the path]`] : []
  const content = total === 0 ? `No file matches ${pattern}.` : [...found, ...rest].join('\n')
  return { kind: 'done', content, view: { kind: 'paths', pattern, paths: found, total } }
}

/** As in ignore files: a pattern without a slash is about the name, at any depth. */
async function matcher(pattern: string, place: Place): Promise<(name: string) => boolean> {
  const { default: picomatch } = await import('picomatch')
  const root = `${place.path}/`
  const below = pattern.startsWith(root) ? pattern.slice(root.length) : pattern.replace(/^\.\//, '')
  // Names may hold line feeds, which a pattern's `*` takes like everything else.
  return picomatch(below.includes('/') ? below : `**/${below}`, { dot: true, flags: 's' })
}
