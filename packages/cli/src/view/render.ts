import type { Content, DataOf, EventNamed, SessionEvent, Source } from '@rein/session'
import { count } from './amount.ts'
import { callTitle } from './call-line.ts'
import { mark, markOf } from './marks.ts'
import { type Paint, paint } from './paint.ts'
import { resultLines } from './result-lines.ts'
import { fewLines, indent, oneLine, safeText } from './safe-text.ts'

export interface RenderOptions {
  readonly color: boolean
  /** The model no longer sees this event. */
  readonly shadowed?: boolean
  /** Columns that one-line entries may take; default 100. */
  readonly width?: number
  /** Lines of a result that are shown at most; default 8, a diff has four times as many. */
  readonly lines?: number
  /** The session's directory: paths inside are shown relative to it. */
  readonly cwd?: string
  /** The text of replies was shown while it arrived: only what else there is to say of them is given. */
  readonly streamed?: boolean
  /** Of the call this result answers, when no line showed it (`UnshownCalls`): it is shown above the result. */
  readonly unshown?: string | undefined
}

interface Drawing extends RenderOptions {
  readonly paint: Paint
  readonly width: number
  readonly lines: number
}

/**
 * One event of a log as lines for people, without a line end at the end; undefined when there is nothing to show.
 * Whatever the content holds, the lines are safe to print on a terminal.
 */
export function render(event: SessionEvent, options: RenderOptions): string | undefined {
  const { width = 100, lines = 8 } = options
  const drawing: Drawing = { ...options, paint: paint(options.color), width, lines }
  const shown = draw(event, drawing)
  if (shown === undefined || shown === '' || options.shadowed !== true) return shown
  return indent(
    [`${drawing.paint.dim(`⊘ event ${event.seq}, no longer seen by the model`)}`, ...shown.split('\n')],
    '  ',
  )
}

function draw(event: SessionEvent, drawing: Drawing): string | undefined {
  switch (event.type) {
    case 'system/message':
      return drawing.paint.dim(`system text, ${count(event.data.text.length)} characters${sections(event.data)}`)
    case 'user/message':
      return userText(event.data.content, event.data.source, drawing)
    case 'assistant/message':
      return replyText(event, drawing)
    case 'tool/call':
      return callLine(event.data.name, event.data.arguments, drawing)
    case 'tool/result':
      return resultText(event.data, drawing)
    default:
      return markOf(event, drawing)
  }
}

const sections = ({ sections: all }: DataOf<'system/message'>): string =>
  all.length === 0 ? '' : `: ${safeText(all.map(({ name }) => name).join(', '))}`

function userText(content: readonly Content[], source: Source, { paint, width }: Drawing): string {
  const text = content.map((part) => (part.type === 'text' ? part.text : picture(part))).join('\n')
  const from = source.name === undefined ? source.kind : `${source.kind} ${source.name}`
  if (source.kind === 'context') return paint.dim(oneLine(`${from}: ${text}`, width))
  const [first = '', ...more] = safeText(text).split('\n')
  const who = source.kind === 'person' ? '' : paint.dim(`[${safeText(from)}] `)
  return [`${paint.cyan('>')} ${who}${paint.bold(first)}`, ...more.map((line) => `  ${paint.bold(line)}`)].join('\n')
}

const picture = (part: Content): string =>
  part.type === 'text' ? part.text : `[picture, ${part.mime}, ${count(part.bytes)} bytes]`

function replyText({ data }: EventNamed<'assistant/message'>, drawing: Drawing): string | undefined {
  const { paint, lines, streamed } = drawing
  const parts: string[] = []
  for (const block of streamed === true ? [] : data.content) {
    if (block.type === 'text' && block.text.trim() !== '') parts.push(safeText(block.text).trim())
    if (block.type === 'reasoning' && block.text.trim() !== '')
      parts.push(indent(fewLines(safeText(block.text).trim(), lines).map(paint.dim), paint.dim('│ ')))
  }
  if (data.interrupted !== undefined) parts.push(mark(`the reply did not finish (${data.interrupted})`, paint.yellow))
  return parts.length === 0 ? undefined : parts.join('\n')
}

/** `• bash  npm test`: one line, whatever the arguments hold. */
export function callLine(name: string, json: string, { paint, width }: Pick<Drawing, 'paint' | 'width'>): string {
  const shown = oneLine(name, 40)
  return `${paint.cyan('•')} ${paint.bold(shown)} ${callTitle(json, Math.max(20, width - shown.length - 3))}`.trimEnd()
}

function resultText(data: DataOf<'tool/result'>, drawing: Drawing): string {
  const { paint, lines, cwd, unshown } = drawing
  const { summary, below } = resultLines(data, { paint, lines, cwd })
  const spill = data.spill === undefined ? [] : [paint.dim(`whole output: ${safeText(data.spill)}`)]
  const head = `  ${paint.dim('↳')} ${oneLine(data.name, 40)} ${summary}`.trimEnd()
  const call = unshown === undefined ? [] : [callLine(data.name, unshown, drawing)]
  return [...call, head, ...[...below, ...spill].map((line) => `    ${line}`)].join('\n')
}
