import { restoreChoice } from './choice.ts'
import type { PlannedFile } from './plan.ts'
import type { RestoreDone, RestorePlan } from './restore.ts'

/** One line for a person. Names in it hold no line end; a terminal needs more care than that. */
export interface RestoreLine {
  readonly text: string
  readonly tone: 'plain' | 'warning' | 'aside'
}

/** What the words are made of. */
type Shown = Pick<RestorePlan, 'files' | 'left' | 'exact' | 'uncovered' | 'unseen'>

/** Paths a person is shown of each kind; the number of the others is said. */
const most = 40

const marks: Readonly<Record<PlannedFile['action'], { readonly mark: string; readonly means: string }>> = {
  create: { mark: '+', means: 'comes back' },
  overwrite: { mark: '~', means: 'is overwritten' },
  delete: { mark: '-', means: 'is deleted' },
  mode: { mark: 'x', means: 'gets its mode back' },
}

/** What going back would do to the files: the same words for every client. */
export function restorePreview(plan: Shown, overwrite: boolean): readonly RestoreLine[] {
  const { going, kept, left } = restoreChoice(plan, overwrite)
  const folders = going.filter(({ path }) => path.endsWith('/')).length
  return [
    ...warnings(plan).map(warning),
    plain(going.length === 0 ? 'No file goes back.' : `${amount(going.length, folders)} would go back:`),
    ...few(going.map(marked)),
    ...(kept.length === 0 ? [] : [warning('Changed by somebody else since, and kept without --overwrite:')]),
    ...few(kept.map(marked)),
    ...(left.length === 0 ? [] : [warning('Cannot go back:')]),
    ...few(left.map(({ path, why }) => `${named(path)}: ${why}`)),
    ...[legend([...going, ...kept]), unseenText(plan.unseen)].flatMap((text) => (text === '' ? [] : [aside(text)])),
  ]
}

/** What was done, and what was not although it was planned. */
export function restoreOutcome(
  { paths, folders, left }: RestoreDone,
  plan: Shown,
  overwrite: boolean,
): readonly RestoreLine[] {
  const known = new Set(restoreChoice(plan, overwrite).left.map(({ path }) => path))
  const failed = left.filter(({ path }) => !known.has(path))
  const head = paths.length === 0 ? 'no file went back' : `${amount(paths.length, folders)} went back`
  return [plain(head), ...few(failed.map(({ path, why }) => `${named(path)} did not: ${why}`))]
}

function warnings({ exact, uncovered }: Shown): readonly string[] {
  return [
    ...(exact ? [] : ['The event lies inside a turn: files go back to where it had changed nothing.']),
    ...(uncovered.length === 0 ? [] : [`There is no snapshot of turn ${uncovered.join(', ')}: what it did may stay.`]),
  ]
}

/** `4 files and 1 folder` */
function amount(all: number, folders: number): string {
  const counts = [counted(all - folders, 'file'), counted(folders, 'folder')]
  return counts.filter((text) => !text.startsWith('0 ')).join(' and ')
}

const counted = (value: number, noun: string): string => `${value} ${noun}${value === 1 ? '' : 's'}`

const marked = ({ path, action }: PlannedFile): string => `${marks[action].mark} ${named(path)}`

/** Of the marks that are used. */
function legend(files: readonly PlannedFile[]): string {
  const used = new Set(files.map(({ action }) => action))
  const entries = (Object.keys(marks) as readonly PlannedFile['action'][]).filter((action) => used.has(action))
  return entries.map((action) => `${marks[action].mark} ${marks[action].means}`).join(', ')
}

function unseenText({ paths, more }: RestorePlan['unseen']): string {
  if (paths.length === 0) return ''
  const others = more > 0 ? ` and ${more} more` : ''
  return `Not looked at, so what changed there stays: ${paths.map(named).join(', ')}${others}`
}

/** A path in one line: a name may hold a line end, and a list must not show it as another entry. */
const named = (path: string): string => path.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')

function few(lines: readonly string[]): readonly RestoreLine[] {
  const shown = lines.length <= most ? lines : [...lines.slice(0, most), `and ${lines.length - most} more`]
  return shown.map((line) => plain(`  ${line}`))
}

const plain = (text: string): RestoreLine => ({ text, tone: 'plain' })
const warning = (text: string): RestoreLine => ({ text, tone: 'warning' })
const aside = (text: string): RestoreLine => ({ text, tone: 'aside' })
