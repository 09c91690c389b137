import * as v from 'valibot'
import { writeAtomic } from '../files/atomic.ts'
import { textDiff } from '../files/diff.ts'
import { contentHash } from '../files/hash.ts'
import { absolutePath } from '../files/path.ts'
import { encodeText, linesOf, type TextFile } from '../files/text.ts'
import { type Tool, type ToolOutput, tool } from '../tools/definition.ts'
import { fromValibot } from '../tools/parameters.ts'
import { amount, diffView } from './change.ts'
import { type Current, checkCurrent, recentTexts, refusal } from './current.ts'
import { LINE_LENGTH } from './read.ts'
import { text } from './text.ts'
import { type HiddenSecrets, unhide } from './unhide.ts'

const schema = v.strictObject({ path: v.pipe(v.string(), v.nonEmpty()), content: v.string() })

/**
 * Creates a file or replaces a whole one that was wholly seen.
 * @param secrets puts back what was hidden from the model in the same file.
 */
export function writeTool({ secrets }: { readonly secrets?: HiddenSecrets | undefined } = {}): Tool {
  return tool<v.InferOutput<typeof schema>>({
    name: 'write',
    description: text(import.meta.url, './write.md'),
    parameters: fromValibot(schema),
    effects: () => 'some',
    accesses: ({ path }, cwd) => [{ kind: 'write', path: absolutePath(path, cwd) }],
    resolvesPlaceholders: true,
    title: ({ path }) => path,
    async run({ path, content }, context) {
      if (!content.isWellFormed()) return brokenText('content')
      const checked = await checkCurrent(path, undefined, context)
      if (checked.kind === 'refused') return checked.output
      const before = checked.kind === 'absent' ? '' : checked.current.file.text
      const whole = unhide(content, before, secrets)
      if (!whole.ok) return refusal(whole.failure)
      if (checked.kind === 'absent') return put({ shown: path, path: checked.path }, whole.value)
      if (!sawAll(checked.current)) {
        const message = `Only a part of ${path} was seen; replacing the whole would lose the rest.`
        return refusal({ code: 'READ_FIRST', message, next: 'Read the rest of it, or change a part with edit.' })
      }
      return put({ shown: path, path: checked.current.path }, whole.value, checked.current)
    },
  })
}

/** Text that is not valid Unicode cannot be written as it was meant. */
export const brokenText = (name: string): ToolOutput =>
  refusal({ code: 'INVALID_ARGUMENTS', message: `\`${name}\` holds half of a surrogate pair, which is no character.` })

interface Target {
  readonly shown: string
  readonly path: string
}

async function put({ shown, path }: Target, content: string, current?: Current): Promise<ToolOutput> {
  const text = current === undefined ? content : inTheFormOf(current.file, content)
  const bytes = encodeText(text, current?.file.bom === true)
  const hash = contentHash(bytes)
  const seen = [{ path, hash }]
  if (hash === current?.version.hash)
    return { kind: 'done', content: `${shown} already had exactly this content.`, seen }
  const written = await writeAtomic(path, bytes, current?.version ?? 'absent')
  if (!written.ok) return refusal(written.failure)
  recentTexts.keep(hash, text)
  const diff = await textDiff(current?.file.text ?? '', text)
  const view = diffView(path, diff, current?.version.hash ?? null)
  const kept = current?.file.lineEnd === '\r\n' && text.includes('\r\n') ? ', CRLF line ends' : ''
  const what =
    current === undefined ? `Created ${shown}: ${linesOf(text).length} lines` : `Replaced ${shown}: ${amount(diff)}`
  return { kind: 'done', content: `${what}${kept}.`, view, seen }
}

/** Line ends and byte order mark stay those of the file, unless the content brings its own CRLF. */
function inTheFormOf(file: TextFile, content: string): string {
  const text = file.bom && content.startsWith('\uFEFF') ? content.slice(1) : content
  return file.lineEnd === '\r\n' && !text.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text
}

/** Windows that cover every line count as the whole, unless a line was too long to be shown whole. */
function sawAll({ file, seen }: Current): boolean {
  if (seen.whole) return true
  const lines = linesOf(file.text)
  const [first, last] = seen.ranges.length === 1 ? (seen.ranges[0] ?? [0, 0]) : [0, 0]
  return first === 1 && last >= lines.length && lines.every((line) => line.length <= LINE_LENGTH)
}
