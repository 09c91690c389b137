import { type SessionEntry, type SessionEvent, type TreeEntry, type TurnEntry, tree } from '@rein/session'
import type { Cli } from '../cli.ts'
import { moment } from './amount.ts'
import { type Paint, paint } from './paint.ts'
import { oneLine, safeText } from './safe-text.ts'

/** Where a session comes from: `parent` is null for one that was started, `at` the last event it took over. */
export interface Lineage {
  readonly id: string
  readonly parent: string | null
  readonly at: number | null
}

interface Row extends Lineage {
  readonly entry: Pick<SessionEntry, 'state' | 'changed'>
  readonly title: string
  /** How the last turn ended; null when no turn ever began. */
  readonly outcome: string | null
}

/**
 * Sessions under those they were forked from, without a line end at the end. Those that come from none of these stand
 * in the order given; forks of one stand in the order of the places they were forked at.
 * @param cli `width`: columns of a line; default as many as it takes, and 60 for a title.
 */
export function sessionTree(rows: readonly Row[], cli: Pick<Cli, 'color'> & { readonly width?: number }): string {
  const known = new Set(rows.map(({ id }) => id))
  const under = Map.groupBy(rows, ({ parent }) => (parent !== null && known.has(parent) ? parent : ''))
  const colors = paint(cli.color)
  const told = new Set<string>()
  const lines: string[] = []
  const tell = (row: Row, lead: string, below: string): void => {
    if (told.has(row.id)) return
    told.add(row.id)
    // Every row below another is led in by as many columns as stand before the rows below it.
    const room = cli.width === undefined ? undefined : cli.width - below.length
    lines.push(lead + sessionLine(row, { colors, orphan: row.parent !== null && !known.has(row.parent), room }))
    const forks = (under.get(row.id) ?? []).toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0))
    for (const [index, child] of forks.entries()) {
      const last = index === forks.length - 1
      tell(child, colors.dim(`${below}${last ? '└─ ' : '├─ '}`), `${below}${last ? '   ' : '│  '}`)
    }
  }
  for (const row of under.get('') ?? []) tell(row, '', '')
  // Logs that name each other as parents come from nowhere; they are not left out for that.
  for (const row of rows) tell(row, '', '')
  return lines.join('\n')
}

function sessionLine(
  { id, parent, at, entry, title, outcome }: Row,
  { colors, orphan, room }: { readonly colors: Paint; readonly orphan: boolean; readonly room: number | undefined },
): string {
  const state = entry.state === 'free' ? (outcome ?? 'empty') : entry.state
  const place = at === null ? '' : ` @${at}`
  const from = orphan ? `${place} of ${parent}, which is not in this list` : place
  const origin = parent === null ? '' : safeText(from)
  const when = moment(entry.changed)
  // Three gaps of two.
  const taken = safeText(id).length + origin.length + when.length + state.length + 6
  const most = room === undefined ? 60 : Math.max(20, room - taken)
  return `${safeText(id)}${colors.dim(origin)}  ${colors.dim(when)}  ${state}  ${oneLine(title, most)}`.trimEnd()
}

/**
 * The turns of one session, those that were rewound marked, each with the place to rewind or fork to so that it is the
 * last that is kept; and what happened between them. Without a line end at the end.
 */
export function turnTree(events: readonly SessionEvent[], options: { color: boolean; width: number }): string {
  const colors = paint(options.color)
  return tree(events)
    .map((entry) => treeLine(entry, colors, options.width))
    .join('\n')
}

function treeLine(entry: TreeEntry, colors: Paint, width: number): string {
  switch (entry.kind) {
    case 'turn':
      return turnLine(entry, colors, width)
    case 'rewound':
      return colors.yellow(`  ↶ @${entry.seq} rewound to @${entry.to}`)
    case 'forked':
      return colors.dim(
        safeText(`  ⑂ @${entry.seq} forked from ${entry.parent} @${entry.at}: from here on ${entry.id}`),
      )
    case 'compacted':
      return colors.dim(`${entry.stands ? ' ' : '⊘'} ⇣ @${entry.seq} older messages summed up`)
  }
}

/** `⊘ 12  @340  what was asked  (cancelled)` */
export function turnLine(turn: TurnEntry, { dim, yellow }: Paint, width: number): string {
  const mark = { all: ' ', part: '◐', none: '⊘' }[turn.stands]
  const ended = turn.outcome === 'completed' ? '' : `  (${turn.outcome ?? 'open'})`
  const head = `${mark} ${String(turn.turn).padStart(3)}  ${`@${turn.to}`.padEnd(6)}  `
  const text = oneLine(turn.prompt, Math.max(20, width - head.length - ended.length))
  return turn.stands === 'none' ? dim(`${head}${text}${ended}`) : `${head}${text}${yellow(ended)}`
}
