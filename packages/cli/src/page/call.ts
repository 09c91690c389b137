import type { Content, DataOf } from '@rein/session'
import { counted, duration } from '../view/amount.ts'
import { callTitle } from '../view/call-line.ts'
import { type Fields, fieldsOf, numberOf, parsed, textOf } from '../view/json.ts'
import { ansi } from './ansi.ts'
import { type Html, html } from './html.ts'
import type { Pictures } from './picture.ts'
import { cut, diff, longest } from './text.ts'

/** What a model asked for. */
export interface Asked {
  readonly name: string
  readonly arguments: string
}

type Result = DataOf<'tool/result'>

/** A call and how it ended, folded under one line. */
export async function call(asked: Asked, result: Result | undefined, pictures: Pictures): Promise<Html> {
  const title = callTitle(asked.arguments, 120)
  const ended = result === undefined ? html`<span class="warn">no result</span>` : outcome(result)
  const body = result === undefined ? undefined : await below(result, pictures)
  return html`<details><summary><b>${asked.name.slice(0, 100)}</b> ${title} — ${ended}</summary>
${given(asked.arguments)}${body}</details>
`
}

const given = (json: string): Html | undefined =>
  json === '' ? undefined : cut(pretty(json), longest.arguments, (part) => html`<pre>${part}</pre>`)

function pretty(json: string): string {
  const value = json.length > longest.arguments * 4 ? undefined : parsed(json)
  return value === undefined ? json : JSON.stringify(value, null, 2)
}

function outcome({ outcome: ended, view, durationMs }: Result): Html {
  const took = durationMs === undefined || durationMs < 1 ? '' : `, ${duration(durationMs)}`
  switch (ended.kind) {
    case 'done':
      return html`${done(fieldsOf(view))}${took}`
    case 'failed':
      return html`<span class="bad">${ended.failure.code}: ${ended.failure.message.slice(0, 200)}</span>`
    case 'denied':
      return html`<span class="bad">denied by ${ended.by}: ${ended.reason.slice(0, 200)}</span>`
    case 'timed-out':
      return html`<span class="bad">stopped after ${duration(ended.afterMs)}</span>`
    case 'cancelled':
      return html`<span class="warn">cancelled while it ran</span>`
    case 'not-started':
      return html`<span class="warn">not started</span>`
    case 'unknown':
      return html`<span class="warn">outcome unknown: the process ended while it ran</span>`
  }
}

function done(view: Fields): Html {
  const code = numberOf(view['exitCode'])
  const signal = textOf(view['signal'])
  if (signal !== undefined) return html`<span class="bad">killed by ${signal}</span>`
  if (code !== undefined) return html`<span class="${code === 0 ? 'good' : 'bad'}">exit code ${code}</span>`
  if (view['kind'] !== 'diff') return html`done`
  const [added, removed] = [numberOf(view['added']) ?? 0, numberOf(view['removed']) ?? 0]
  return html`<span class="good">+${added}</span> <span class="bad">-${removed}</span>`
}

/** A diff or an output with its colours where the tool gave one, else what the model got. */
async function below(result: Result, pictures: Pictures): Promise<Html> {
  const view = fieldsOf(result.view)
  const shown = textOf(view['diff']) ?? textOf(view['output'])
  const spill = result.spill === undefined ? undefined : html`<p class="left">whole output: ${result.spill}</p>`
  if (shown === undefined || shown === '') return html`${await contents(result.content, pictures)}${spill}`
  const drawn = textOf(view['diff']) === undefined ? output(shown) : diff(shown)
  const [only, second] = result.content
  // What the model got is mostly what was printed.
  if (second === undefined && only?.type === 'text' && only.text === shown) return html`${drawn}${spill}`
  const told = html`<details><summary>what the model got (${counted(result.content.length, 'part')})</summary>${await contents(result.content, pictures)}</details>`
  return html`${drawn}${told}${spill}`
}

const output = (text: string): Html => cut(text, longest.output, (part) => html`<pre>${ansi(part)}</pre>`)

async function contents(content: readonly Content[], pictures: Pictures): Promise<readonly Html[]> {
  const shown: Html[] = []
  for (const part of content) shown.push(part.type === 'text' ? output(part.text) : await pictures.show(part))
  return shown
}
