import { type Agent, Commands } from '@rein/harness'
import {
  type Failure,
  planRewind,
  type Result,
  rewind,
  type SessionEvent,
  type TurnEntry,
  turnsOf,
} from '@rein/session'
import type { Cli } from '../cli.ts'
import type { Hosted } from '../start.ts'
import { type Paint, paint } from '../view/paint.ts'
import { changesNothing, rewindText } from '../view/rewind-text.ts'
import { fewLines, indent, safeText } from '../view/safe-text.ts'
import { turnLine, turnTree } from '../view/session-tree.ts'
import type { Terminal } from './terminal.ts'

interface Surroundings {
  readonly cli: Cli
  readonly host: Hosted
  readonly agent: Agent
  readonly terminal: Terminal
}

/** Turns a list to choose from has at most; `/tree` has all. */
const listed = 20
/** Columns of a line. */
const width = 100

/** `/rewind` lists the turns; `/rewind 3` undoes turn 3 and what follows, `/rewind @120` what came after event 120. */
export async function rewindTo({ cli, host, agent, terminal }: Surroundings, typed: string): Promise<Result<void>> {
  const { log } = agent.session
  const turns = turnsOf(log.events)
  const colors = paint(cli.color && terminal.person)
  if (typed === '') return { ok: true, value: list(turns, terminal, colors) }
  const place = placeOf(typed, turns)
  if (!place.ok) return place
  const plan = planRewind(log.events, place.value)
  if (!plan.ok) return { ok: false, failure: { ...plan.failure, next: 'See /tree.' } }
  for (const line of rewindText(plan.value, { events: log.events, colors, width })) terminal.line(line)
  if (changesNothing(plan.value)) return { ok: true, value: undefined }
  const undone = turns.find(({ from, stands }) => from > plan.value.to && stands !== 'none')
  const done = rewind(log, { to: place.value })
  if (!done.ok) return done
  await log.synced()
  if (undone && undone.prompt !== '') {
    terminal.line(colors.dim('what was said there:'))
    terminal.line(indent(fewLines(safeText(undone.prompt), 12), '  '))
  }
  const restores = host.host.get(Commands)?.get('restore') !== undefined
  terminal.line(colors.dim(afterRewind(log.events, { to: plan.value.to, seq: done.value.seq, restores })))
  return { ok: true, value: undefined }
}

/**
 * What a rewind to event `to`, itself event `seq`, leaves to be done. Files go back by another command, where there is
 * one and something was kept since.
 */
export function afterRewind(
  events: readonly SessionEvent[],
  { to, seq, restores }: { readonly to: number; readonly seq: number; readonly restores: boolean },
): string {
  const kept = restores && events.some((event) => event.type === 'files/snapshot' && event.seq > to)
  const files = kept ? `Files stay as they are; they go back with /restore @${to}.` : 'Files stay as they are.'
  return `${files} Take it back with /rewind @${seq - 1}`
}

/** `/tree`: where this session comes from and how it went, with the places to go back to. */
export function showTree({ cli, agent, terminal }: Omit<Surroundings, 'host'>): void {
  const color = cli.color && terminal.person
  const shown = turnTree(agent.session.log.events, { color, width })
  terminal.line(shown === '' ? 'No turn yet.' : shown)
  terminal.line(
    paint(color).dim(
      '/rewind N undoes turn N and what follows; /rewind @SEQ and /fork @SEQ keep everything up to that event',
    ),
  )
}

function list(turns: readonly TurnEntry[], terminal: Terminal, colors: Paint): void {
  const open = turns.filter(({ stands }) => stands !== 'none')
  if (open.length === 0) terminal.line('There is no turn to go back behind.')
  for (const turn of open.slice(-listed)) terminal.line(turnLine(turn, colors, width))
  if (open.length > 0)
    terminal.line(colors.dim('/rewind N undoes turn N and what follows; /rewind @SEQ goes to an event'))
}

/** The event that is to be the last one seen. */
function placeOf(typed: string, turns: readonly TurnEntry[]): Result<number> {
  const [, at, number = ''] = /^(@?)(\d{1,15})$/.exec(typed) ?? []
  if (at === undefined)
    return wrong(`/rewind takes the number of a turn, or @ and the number of an event, not ${typed}`)
  if (at === '@') return { ok: true, value: Number(number) }
  const turn = turns.find((one) => one.turn === Number(number))
  if (!turn) return wrong(`there is no turn ${number}`, 'See /tree.')
  if (turn.stands === 'none')
    return wrong(`turn ${number} is undone already`, `Bring it back with /rewind @${turn.to}.`)
  return { ok: true, value: turn.from - 1 }
}

/** What was typed behind a slash command cannot be done. */
export const wrong = (message: string, next?: string): { readonly ok: false; readonly failure: Failure } => ({
  ok: false,
  failure: { code: 'USAGE', message, ...(next !== undefined && { next }) },
})
