import { type Damage, type DataOf, type InboxItem, type LiveSession, type SessionEvent, uncounted } from '@rein/session'
import { counted, duration, size } from './amount.ts'
import { noteText } from './note-mark.ts'
import type { Paint, Style } from './paint.ts'
import { fewLines, indent, oneLine, safeText } from './safe-text.ts'
import { shownFailure } from './shown-failure.ts'

interface Marking {
  readonly paint: Paint
  readonly width: number
  readonly lines: number
}

/** `— text —`: something that happened to the session rather than in the conversation. */
export const mark = (text: string, style: Style): string => style(`— ${safeText(text)} —`)

/** What is shown of the events that are no messages; undefined for those that only a program needs. */
export function markOf(event: SessionEvent, drawing: Marking): string | undefined {
  const { paint, width } = drawing
  const { dim, yellow, red } = paint
  switch (event.type) {
    case 'session/resume':
      return mark('resumed', dim)
    case 'session/title':
      return dim(oneLine(`title: ${event.data.title}`, width))
    case 'session/fork':
      return mark(`forked from ${event.data.parent} after event ${event.data.at}`, dim)
    case 'session/rewound':
      return mark(`rewound: what came after event ${event.data.to} is no longer seen by the model`, yellow)
    case 'session/damage':
      return mark(damage(event.data), red)
    case 'session/migrated':
      return mark(`rewritten from format ${event.data.from} to ${event.data.to}`, dim)
    case 'turn/end':
      return turnEnd(event.data, paint)
    case 'inbox/parked':
      return mark(`input waits (${event.data.reason}); the next message releases it`, yellow)
    case 'inbox/spliced':
      return spliced(event.data, drawing)
    case 'request/sent':
      return broke(event.data, paint)
    case 'request/settled':
      return dropped(event.data, paint)
    case 'retry/scheduled':
      return retry(event.data, paint)
    case 'retry/started':
      return event.data.outcome === 'abandoned' ? mark('no further attempt: the turn ended first', dim) : undefined
    default:
      return permissionMark(event, drawing) ?? workMark(event, drawing)
  }
}

type Loss = Pick<Damage, 'reason' | 'events' | 'bytes'>

const lossText = (loss: Loss): string =>
  uncounted(loss) ?? `${counted(loss.events, 'event')} and ${size(loss.bytes)} lost`

const damage = ({ aside, ...loss }: DataOf<'session/damage'>): string => {
  const kept = aside === undefined ? '' : `; the damaged bytes are kept in ${aside}`
  return `damage (${loss.reason}): ${lossText(loss)}${kept}`
}

/** What was found wrong with a log when it was read. */
export const damageText = ({ line, offset, ...loss }: Damage): string =>
  `damage at line ${line} of the log, byte ${offset} (${loss.reason}): ${lossText(loss)}`

/** What the person is told once of a session that was opened: what is lost of it, and what will not run because of that. */
export function openedText({ damage, withdrawn }: Pick<LiveSession, 'damage' | 'withdrawn'>): readonly string[] {
  const found = damage.map((one) => damageText(one) + (one.bytes > 0 ? '; the bytes are kept aside' : ''))
  return [...found, ...withdrawn.map(withdrawnText)]
}

const withdrawnText = ({ content }: InboxItem): string => {
  const text = content.map((part) => (part.type === 'text' ? part.text : `(${part.type})`)).join(' ')
  return `withdrawn, not run again: the damage took whether it was done; send it again if it was not: ${oneLine(text, 200)}`
}

const endings: Readonly<Record<DataOf<'turn/end'>['outcome'], string>> = {
  completed: 'completed',
  'max-tokens': 'the reply was cut by the token limit',
  blocked: 'blocked',
  cancelled: 'cancelled',
  interrupted: 'interrupted',
  budget: 'a budget ended the turn',
  error: 'the turn ended in an error',
}

function turnEnd({ outcome, error }: DataOf<'turn/end'>, paint: Paint): string | undefined {
  if (outcome === 'completed') return undefined
  const style = outcome === 'error' ? paint.red : paint.yellow
  const why = error === undefined ? '' : `\n${indent(shownFailure(error, paint).split('\n'), '  ')}`
  return mark(endings[outcome], style) + why
}

function spliced({ reason, remove }: DataOf<'inbox/spliced'>, { paint }: Marking): string | undefined {
  if (reason === 'refused') return mark(`${counted(remove.length, 'waiting message')} refused`, paint.yellow)
  if (reason === 'withdrawn' || reason === 'dropped')
    return mark(`${counted(remove.length, 'waiting message')} ${reason}`, paint.dim)
  return undefined
}

function broke({ broke: by }: DataOf<'request/sent'>, { dim }: Paint): string | undefined {
  return by && mark(`the front of the request changed with event ${by.event} (${by.owner})`, dim)
}

function dropped({ dropped: calls }: DataOf<'request/settled'>, { yellow }: Paint): string | undefined {
  if (calls.length === 0) return undefined
  const names = calls.map(({ name }) => name).join(', ')
  return mark(`the reply was cut by the token limit: ${counted(calls.length, 'call')} did not run (${names})`, yellow)
}

function retry({ attempt, waitMs, error }: DataOf<'retry/scheduled'>, paint: Paint): string {
  const why = `${error.code}: ${safeText(error.message).split('\n')[0]}`
  return mark(`${why}; attempt ${attempt} in ${duration(waitMs)}`, paint.yellow)
}

function permissionMark(event: SessionEvent, { paint, width }: Marking): string | undefined {
  const { dim, yellow, red, green } = paint
  switch (event.type) {
    case 'approval/asked':
      return yellow(`? ${safeText(event.data.what)}`)
    case 'approval/decided': {
      const { decision, by, words } = event.data
      const said = words === undefined ? '' : `: ${safeText(words)}`
      const answer = decision === 'allowed-once' ? green('allowed once') : red(decision)
      return `  ${answer} by ${safeText(by)}${said}`
    }
    case 'question/asked':
      return yellow(oneLine(`? ${JSON.stringify(event.data.questions)}`, width))
    case 'question/answered': {
      const { answers, by } = event.data
      return answers === null ? red('  no answer') : oneLine(`${JSON.stringify(answers)} by ${by}`, width)
    }
    case 'permission/mode':
      return dim(`mode: ${event.data.mode}`)
    case 'permission/grant':
      return dim(
        oneLine(`${event.data.revoked ? 'revoked' : 'granted'} (${event.data.scope}): ${event.data.rule}`, width),
      )
    case 'sandbox/enforced': {
      const { backend, level, missing } = event.data
      const not = missing.length > 0 ? `, not enforced: ${missing.join('; ')}` : ''
      return dim(safeText(level === 'none' ? 'sandbox: none' : `sandbox: ${backend}, ${level}${not}`))
    }
    case 'sandbox/denied':
      return yellow(oneLine(`  the sandbox refused ${event.data.what}: ${event.data.target}`, width))
    case 'plan/mode':
      return mark(event.data.on ? 'plan mode' : 'plan mode ended', dim)
    default:
      return undefined
  }
}

function workMark(event: SessionEvent, { paint, width, lines }: Marking): string | undefined {
  const { dim, yellow, red } = paint
  switch (event.type) {
    case 'compaction/start':
      return mark(`compacting events ${event.data.range.join(' to ')} (${event.data.reason})`, dim)
    case 'compaction/summary':
      return indent(fewLines(safeText(event.data.text), lines).map(dim), dim('│ '))
    case 'compaction/end':
      return withCause(mark(`compaction ${event.data.outcome}`, dim), event.data.error, paint)
    case 'command/run':
      return dim(oneLine(`/${event.data.name} ${event.data.arguments}`, width))
    case 'command/done':
      if (event.data.outcome === 'done') return undefined
      return withCause(mark(`the command ${event.data.outcome}`, yellow), event.data.error, paint)
    case 'job/start':
      return dim(oneLine(`job ${event.data.id} started: ${event.data.label}`, width))
    case 'job/end': {
      const { id, outcome, exitCode } = event.data
      const code = typeof exitCode === 'number' ? `, exit code ${exitCode}` : ''
      return (outcome === 'done' ? dim : red)(oneLine(`job ${id} ${outcome}${code}`, width))
    }
    case 'agent/spawned':
      return dim(oneLine(`child ${event.data.id} started: ${event.data.label}`, width))
    case 'agent/settled':
      return dim(oneLine(`child ${event.data.id}: ${event.data.outcome}`, width))
    case 'files/restored':
      return mark(`${counted(event.data.paths.length, 'path')} restored`, dim)
    case 'plugin/note':
      return noteMark(event.data, yellow)
    default:
      return undefined
  }
}

function noteMark(note: DataOf<'plugin/note'>, style: Style): string | undefined {
  const text = noteText(note)
  return text === undefined ? undefined : mark(oneLine(text, 400), style)
}

const withCause = (text: string, error: DataOf<'turn/end'>['error'], paint: Paint): string =>
  error === undefined ? text : `${text}\n${indent(shownFailure(error, paint).split('\n'), '  ')}`
