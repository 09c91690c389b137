import { relative } from 'node:path'
import type { DataOf } from '@rein/session'
import { counted, duration } from './amount.ts'
import { diffLines } from './diff-lines.ts'
import { type Fields, fieldsOf, numberOf, textOf } from './json.ts'
import type { Paint } from './paint.ts'
import { fewLines, safeText } from './safe-text.ts'
import { shownFailure } from './shown-failure.ts'

export interface ResultOptions {
  readonly paint: Paint
  /** Lines of an output or a diff that are shown at most. */
  readonly lines: number
  /** Paths inside are shown relative to it. */
  readonly cwd: string | undefined
}

/** How a call ended: a summary for the line of its name, and what is shown below it. */
export interface ShownResult {
  readonly summary: string
  readonly below: readonly string[]
}

type Result = DataOf<'tool/result'>

/** A tool's own view when it has one this program knows; the text the model got when not. */
export function resultLines(result: Result, options: ResultOptions): ShownResult {
  const { outcome } = result
  const { paint } = options
  switch (outcome.kind) {
    case 'done':
      return viewed(result, options)
    case 'failed': {
      const [first = '', ...more] = shownFailure(outcome.failure, paint).split('\n')
      return { summary: first, below: more.map((line) => line.trim()) }
    }
    case 'denied':
      return { summary: paint.red(`denied by ${safeText(outcome.by)}: ${safeText(outcome.reason)}`), below: [] }
    case 'timed-out': {
      const { below } = viewed(result, options)
      return { summary: paint.red(`stopped after ${duration(outcome.afterMs)}`), below }
    }
    case 'cancelled':
      return { summary: paint.yellow('cancelled while it ran'), below: [] }
    case 'not-started':
      return { summary: paint.yellow('not started'), below: [] }
    case 'unknown':
      return { summary: paint.yellow('outcome unknown: the process ended while it ran'), below: [] }
  }
}

function viewed(result: Result, options: ResultOptions): ShownResult {
  const view = fieldsOf(result.view)
  switch (view['kind']) {
    case 'diff':
      return diff(view, options)
    case 'command':
      return command(view, options)
    case 'file':
      return { summary: options.paint.dim(file(view, options)), below: [] }
    case 'paths':
      return paths(view, options)
    case 'matches':
      return matches(view, result, options)
    case 'todo':
      return todo(view, options)
    default:
      return { summary: '', below: bounded(contentText(result), options) }
  }
}

function diff(view: Fields, { paint, lines, cwd }: ResultOptions): ShownResult {
  const { green, red } = paint
  const made = view['created'] === true ? 'created ' : ''
  const amount = `${green(`+${numberOf(view['added']) ?? 0}`)} ${red(`-${numberOf(view['removed']) ?? 0}`)}`
  const summary = `${made}${shownPath(textOf(view['path']), cwd)} ${amount}`
  return { summary, below: diffLines(textOf(view['diff']) ?? '', { paint, lines: lines * 4 }) }
}

function command(view: Fields, options: ResultOptions): ShownResult {
  const { paint } = options
  const signal = textOf(view['signal'])
  const code = numberOf(view['exitCode'])
  const took = numberOf(view['durationMs'])
  const ended =
    code === undefined ? undefined : code === 0 ? paint.green('exit code 0') : paint.red(`exit code ${code}`)
  const parts = [
    signal === undefined ? ended : paint.red(`killed by ${safeText(signal)}`),
    took === undefined || took === 0 ? undefined : paint.dim(duration(took)),
  ]
  const output = textOf(view['output']) ?? ''
  const whole = textOf(view['outputPath'])
  const below = output.trim() === '' ? [] : bounded(output, options)
  const note = whole === undefined ? [] : [paint.dim(`whole output: ${safeText(whole)}`)]
  return { summary: parts.filter((part) => part !== undefined).join(' '), below: [...below, ...note] }
}

function file(view: Fields, { cwd }: ResultOptions): string {
  const [first = 0, last = 0, total = 0] = ['first', 'last', 'total'].map((key) => numberOf(view[key]))
  const path = shownPath(textOf(view['path']), cwd)
  if (total === 0) return `${path}, empty`
  return last - first + 1 === total
    ? `${path}, ${counted(total, 'line')}`
    : `${path}, lines ${first}-${last} of ${total}`
}

function paths(view: Fields, options: ResultOptions): ShownResult {
  const found = Array.isArray(view['paths']) ? view['paths'].filter((path) => typeof path === 'string') : []
  const total = numberOf(view['total']) ?? found.length
  return { summary: options.paint.dim(counted(total, 'file')), below: bounded(found.join('\n'), options) }
}

function matches(view: Fields, result: Result, options: ResultOptions): ShownResult {
  const found = numberOf(view['count']) ?? 0
  const more = view['more'] === true ? ' and more' : ''
  const summary = options.paint.dim(`${found === 1 ? '1 match' : `${found} matches`}${more}`)
  return { summary, below: found === 0 ? [] : bounded(contentText(result), options) }
}

function todo(view: Fields, { paint, lines }: ResultOptions): ShownResult {
  const items = (Array.isArray(view['items']) ? view['items'] : []).map(fieldsOf)
  const done = items.filter(({ state }) => state === 'done').length
  const shown = items.slice(0, lines * 2).map(({ state, text }) => {
    const words = safeText(textOf(text) ?? '')
    if (state === 'done') return `${paint.green('☑')} ${paint.dim(words)}`
    return state === 'active' ? `${paint.yellow('▸')} ${words}` : `☐ ${words}`
  })
  const more = items.length > shown.length ? [paint.dim(`… ${items.length - shown.length} more`)] : []
  return { summary: paint.dim(`${done} of ${items.length} done`), below: [...shown, ...more] }
}

const bounded = (text: string, { paint, lines }: ResultOptions): readonly string[] =>
  text === '' ? [] : fewLines(safeText(text), lines).map(paint.dim)

const contentText = ({ content }: Result): string =>
  content.map((part) => (part.type === 'text' ? part.text : `[picture, ${part.mime}]`)).join('\n')

/** Relative inside of `cwd`, else as it is. */
function shownPath(path: string | undefined, cwd: string | undefined): string {
  if (path === undefined) return ''
  const short = cwd === undefined || cwd === '' ? path : relative(cwd, path)
  return safeText(short === '' || short.startsWith('..') ? path : short)
}
