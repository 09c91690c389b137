import type { Result, SeenFile } from '@rein/session'
import * as v from 'valibot'
import { writeAtomic } from '../files/atomic.ts'
import { textDiff } from '../files/diff.ts'
import { contentHash } from '../files/hash.ts'
import { absolutePath } from '../files/path.ts'
import { applySpans, type Edit, findSpans, movedRange, type Span } from '../files/replace.ts'
import { encodeText } from '../files/text.ts'
import { type Tool, type ToolOutput, tool } from '../tools/definition.ts'
import { fromValibot } from '../tools/parameters.ts'
import { amount, diffView } from './change.ts'
import { type Current, checkCurrent, missing, recentTexts, refusal } from './current.ts'
import { text } from './text.ts'
import { type HiddenSecrets, unhide } from './unhide.ts'
import { brokenText } from './write.ts'

const schema = v.strictObject({
  path: v.pipe(v.string(), v.nonEmpty()),
  edits: v.pipe(
    v.array(v.strictObject({ old: v.string(), new: v.string(), all: v.optional(v.boolean()) })),
    v.minLength(1),
  ),
})

/**
 * Replaces exact, unique text in a file of which the current version was seen.
 * @param secrets puts back what was hidden from the model in the same file.
 */
export function editTool({ secrets }: { readonly secrets?: HiddenSecrets | undefined } = {}): Tool {
  return tool<v.InferOutput<typeof schema>>({
    name: 'edit',
    description: text(import.meta.url, './edit.md'),
    parameters: fromValibot(schema),
    effects: () => 'some',
    accesses: ({ path }, cwd) => [{ kind: 'write', path: absolutePath(path, cwd) }],
    resolvesPlaceholders: true,
    title: ({ path, edits }) => (edits.length === 1 ? path : `${path} (${edits.length} edits)`),
    async run({ path, edits }, context) {
      if (edits.some((edit) => !edit.new.isWellFormed())) return brokenText('new')
      const checked = await checkCurrent(path, edits[0]?.old, context)
      if (checked.kind === 'refused') return checked.output
      if (checked.kind === 'absent') return missing(checked.path, path)
      const whole = unhidden(edits, checked.current.file.text, secrets)
      return whole.ok ? change(path, whole.value, checked.current) : refusal(whole.failure)
    },
  })
}

function unhidden(edits: readonly Edit[], file: string, secrets: HiddenSecrets | undefined): Result<readonly Edit[]> {
  const whole: Edit[] = []
  for (const edit of edits) {
    const before = unhide(edit.old, file, secrets)
    if (!before.ok) return before
    const after = unhide(edit.new, file, secrets)
    if (!after.ok) return after
    whole.push({ ...edit, old: before.value, new: after.value })
  }
  return { ok: true, value: whole }
}

async function change(shown: string, edits: readonly Edit[], current: Current): Promise<ToolOutput> {
  const { path, file, version, seen } = current
  const found = findSpans(file, edits)
  if (!found.ok) return refusal(found.failure)
  const spans = found.value
  const unseen = spans.find((span) => !isSeen(span, current))
  if (unseen !== undefined) {
    const message = `Line ${unseen.lines[0]} of ${shown}, where this edit would go, was not seen.`
    return refusal({ code: 'READ_FIRST', message, next: `Read it with offset=${unseen.lines[0]} first.` })
  }
  const after = applySpans(file.text, spans)
  const bytes = encodeText(after, file.bom)
  const written = await writeAtomic(path, bytes, version)
  if (!written.ok) return refusal(written.failure)
  const hash = contentHash(bytes)
  recentTexts.keep(hash, after)
  const diff = await textDiff(file.text, after)
  const places = spans.length === 1 ? '1 place' : `${spans.length} places`
  const content = `Edited ${shown} in ${places}: ${amount(diff)}.`
  const now: SeenFile[] = seen.whole
    ? [{ path, hash }]
    : seen.ranges
        .map((range) => ({ path, hash, range: movedRange(range, spans) }))
        .filter(({ range }) => range[1] >= range[0])
  return { kind: 'done', content, view: diffView(path, diff, version.hash), seen: now }
}

const isSeen = ({ lines }: Span, { seen }: Current): boolean =>
  seen.whole || seen.ranges.some(([first, last]) => first <= lines[0] && lines[1] <= last)
