import { createHash } from 'node:crypto'
import {
  addUsage,
  type Damage,
  fold,
  idOf,
  type SessionEvent,
  type TurnOutcome,
  transcript,
  type Usage,
  usage,
} from '@rein/session'
import { count, counted, dollars, moment } from '../view/amount.ts'
import { damageText } from '../view/marks.ts'
import { Entries } from './entry.ts'
import { type Html, html } from './html.ts'
import { Pictures } from './picture.ts'
import { style } from './style.ts'

/** A session to be shown as a page. */
export interface PageOptions {
  readonly events: readonly SessionEvent[]
  /** What could not be read. */
  readonly damage: readonly Damage[]
  /** What was removed, in words; none when nothing was. */
  readonly notes: readonly string[]
  readonly blob: (sha256: string) => Promise<Uint8Array | undefined>
  /** Version of rein. */
  readonly rein: string
}

/**
 * One page that needs nothing else: no script, no request, every text escaped in one place, and a policy that lets a
 * browser run and load nothing even so. Given piece by piece, so that a session of any size goes into a file.
 */
export async function* page(options: PageOptions): AsyncGenerator<string> {
  yield opening(options).toString()
  const { entries, shadowed } = fold(transcript, options.events)
  const drawn = new Entries(new Pictures(options.blob))
  const turns = new Map(turnsOf(options.events).map((turn) => [turn.from, turn]))
  const starts = [...turns.keys()]
  let next = 0
  yield '<section>\n'
  for (const event of entries) {
    for (let from = starts[next]; from !== undefined && from < event.seq; from = starts[++next]) {
      const turn = turns.get(from)
      if (turn) yield `</section>\n<section>${turnLine(turn)}\n`
    }
    const shown = await drawn.draw(event)
    if (shown) yield shadowed.has(event.seq) ? gone(event, shown).toString() : shown.toString()
  }
  for (const open of await drawn.unanswered()) yield open.toString()
  yield `</section>\n${html`<footer class="who">rein ${options.rein}</footer>`}\n</body></html>\n`
}

const gone = ({ seq }: SessionEvent, shown: Html): Html =>
  html`<div class="gone"><p class="who">event ${seq}, no longer seen by the model</p>${shown}</div>
`

function opening({ events, damage, notes }: PageOptions): Html {
  const title = titleOf(events)
  const hash = createHash('sha256').update(style).digest('base64')
  const policy = `default-src 'none'; img-src data:; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`
  return html`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">
<title>${title}</title>
${styleSheet}
</head><body><header><h1>${title}</h1>${facts(events)}
${damage.length === 0 ? undefined : html`<div class="note bad">${damage.map((one) => html`<p>${damageText(one)}</p>`)}</div>`}
${notes.length === 0 ? undefined : html`<div class="note">${notes.map((note) => html`<p>${note}</p>`)}</div>`}
</header>
`
}

// A constant of ours: `html` would escape the quotes in it.
const styleSheet = html(Object.assign([`<style>${style}</style>`], { raw: [style] }))

function titleOf(events: readonly SessionEvent[]): string {
  const titled = events.findLast((event) => event.type === 'session/title')
  if (titled?.type === 'session/title') return titled.data.title
  const asked = events.find((event) => event.type === 'user/message' && event.data.source.kind === 'person')
  const [part] = asked?.type === 'user/message' ? asked.data.content : []
  const text = part?.type === 'text' ? part.text.trim().split('\n', 1)[0] : undefined
  return (text ?? idOf(events)).slice(0, 200)
}

function facts(events: readonly SessionEvent[]): Html {
  const [first] = events
  // The mark of the redaction is of the export, not of the session.
  const last = events.findLast(({ type }) => type !== 'session/migrated')
  const models = new Set(
    events.flatMap((event) => (event.type === 'request/header' ? [`${event.data.provider}/${event.data.model}`] : [])),
  )
  const spent = fold(usage, events)
  const { input, cacheRead, cacheWrite, output } = spent.total
  const tokens = `${count(input + cacheRead + cacheWrite)} in (${count(cacheRead)} cached), ${count(output)} out`
  const rows: readonly (readonly [string, string])[] = [
    ['session', idOf(events)],
    ['directory', first?.type === 'session/start' ? first.data.cwd : ''],
    ['time', `${moment(first?.time ?? 0)} – ${moment(last?.time ?? 0)}`],
    ['model', [...models].join(', ')],
    ['turns', String(turnsOf(events).length)],
    ['tokens', spent.requests === 0 ? '' : tokens],
    ['cost', spent.cost === undefined || spent.cost === 0 ? '' : dollars(spent.cost)],
  ]
  return html`<dl>${rows.filter(([, value]) => value !== '').map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
}

interface Turn {
  readonly number: number
  /** Seq of its start. */
  readonly from: number
  readonly time: number
  outcome: TurnOutcome | 'open'
  usage: Usage | undefined
  cost: number
}

function turnsOf(events: readonly SessionEvent[]): readonly Turn[] {
  const turns: Turn[] = []
  for (const event of events) {
    const last = turns.at(-1)
    if (event.type === 'turn/start')
      turns.push({
        number: event.data.turn,
        from: event.seq,
        time: event.time,
        outcome: 'open',
        usage: undefined,
        cost: 0,
      })
    if (event.type === 'turn/end' && last) last.outcome = event.data.outcome
    if (event.type !== 'request/settled' || !last) continue
    if (event.data.usage) last.usage = last.usage ? addUsage(last.usage, event.data.usage) : event.data.usage
    last.cost += event.data.cost ?? 0
  }
  return turns
}

function turnLine({ number, time, outcome, usage: used, cost }: Turn): Html {
  const look = outcome === 'completed' ? 'good' : outcome === 'error' ? 'bad' : 'warn'
  const tokens =
    used && `${counted(used.input + used.cacheRead + used.cacheWrite, 'token')} in, ${count(used.output)} out`
  const rest = [tokens, cost > 0 ? dollars(cost) : undefined].filter((part) => part !== undefined)
  return html`<h2>turn ${number} · ${moment(time)} · <span class="${look}">${outcome}</span>${rest.map((part) => ` · ${part}`)}</h2>`
}
