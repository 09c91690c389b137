import type { Failure, SeenState } from '@rein/session'
import { shortDiff, textDiff } from '../files/diff.ts'
import { notFound, resolvePath } from '../files/path.ts'
import { RecentTexts } from '../files/recent.ts'
import { exactLines, similarPlaces } from '../files/similar.ts'
import { decodeText, linesOf, type TextFile } from '../files/text.ts'
import { readWhole, type Version } from '../files/version.ts'
import type { CallContext, ToolOutput } from '../tools/definition.ts'

/** A file about to be changed, as it is now, and what the session has seen of this version. */
export interface Current {
  readonly path: string
  readonly file: TextFile
  readonly version: Version
  readonly seen: SeenState
}

/** Versions the file tools of this process have shown; keyed by content, so sharing it tells nobody anything new. */
export const recentTexts = new RecentTexts()

const DIFF_LINES = 60
const AROUND = 5

type Checked =
  | { readonly kind: 'current'; readonly current: Current }
  | { readonly kind: 'absent'; readonly path: string }
  | { readonly kind: 'refused'; readonly output: ToolOutput }

/**
 * The version guard (rule 12): a change needs a read of the version that is there now.
 * @param wanted text that tells which part of a changed file to show, when there is nothing to compare with.
 */
export async function checkCurrent(shown: string, wanted: string | undefined, context: CallContext): Promise<Checked> {
  const real = await resolvePath(shown, context.cwd)
  if (!real.ok) return refused(real.failure)
  const { path, exists } = real.value
  if (!exists) return { kind: 'absent', path }
  const whole = await readWhole(path, shown)
  if (!whole.ok) return refused(whole.failure)
  const { bytes, version } = whole.value
  const decoded = decodeText(bytes, shown)
  if (!decoded.ok) return refused(decoded.failure)
  const seen = context.seen(path)
  const next = `Call read with path ${JSON.stringify(shown)} first.`
  if (seen === undefined)
    return refused({ code: 'READ_FIRST', message: `${shown} was not read in this session.`, next })
  if (seen.hash !== version.hash) return refused(...(await stale(shown, { seen, text: decoded.value.text, wanted })))
  return { kind: 'current', current: { path, file: decoded.value, version, seen } }
}

export const refusal = (failure: Failure): ToolOutput => ({ kind: 'failed', failure })

/** `NOT_FOUND` with near names, as a tool's answer. */
export const missing = async (path: string, shown: string): Promise<ToolOutput> =>
  refusal((await notFound(path, shown)).failure)

const refused = (failure: Failure, content?: string): Checked => ({
  kind: 'refused',
  output: { ...refusal(failure), ...(content === undefined ? {} : { content }) },
})

interface Changed {
  readonly seen: SeenState
  readonly text: string
  readonly wanted: string | undefined
}

async function stale(shown: string, changed: Changed): Promise<readonly [Failure, string]> {
  const message = `${shown} changed since it was read; nothing was written.`
  const next = 'Read it again, then decide whether the change is still right.'
  const what = await whatChanged(changed)
  return [{ code: 'STALE_FILE', message, next }, `${message} ${next}\n${what}`]
}

async function whatChanged({ seen, text, wanted }: Changed): Promise<string> {
  const before = recentTexts.get(seen.hash)
  if (before !== undefined) {
    const { diff } = await textDiff(before, text)
    if (diff === '') return 'Only its line ends changed.'
    return `What changed:\n${shortDiff(diff, DIFF_LINES)}`
  }
  const total = linesOf(text).length
  const line = (wanted === undefined ? undefined : similarPlaces(text, wanted, 1)[0]) ?? 1
  const size = wanted === undefined ? 1 : linesOf(wanted).length
  const range = [Math.max(1, line - AROUND), line + size - 1 + AROUND] as const
  return `It now has ${total} lines; around line ${line}:\n${exactLines(text, range, 40)}`
}
