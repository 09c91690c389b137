import type { Content, EventNamed, SessionEvent, Source } from '@rein/session'
import { count } from '../view/amount.ts'
import { markOf } from '../view/marks.ts'
import { paint } from '../view/paint.ts'
import { type Asked, call } from './call.ts'
import { type Html, html } from './html.ts'
import type { Pictures } from './picture.ts'
import { cut, longest, said } from './text.ts'

/** Draws the events of one session, in order; calls are shown with their results. */
export class Entries {
  readonly #pictures: Pictures
  /** Calls that have no result yet. */
  readonly #asked = new Map<string, Asked>()

  constructor(pictures: Pictures) {
    this.#pictures = pictures
  }

  /** @returns undefined when there is nothing to show. */
  async draw(event: SessionEvent): Promise<Html | undefined> {
    switch (event.type) {
      case 'system/message':
        return html`<details><summary>system text, ${count(event.data.text.length)} characters</summary>${cut(event.data.text, longest.said, (part) => html`<pre>${part}</pre>`)}</details>
`
      case 'user/message':
        return this.#user(event.data.content, event.data.source)
      case 'assistant/message':
        return this.#reply(event)
      case 'tool/call':
        return undefined
      case 'tool/result': {
        const asked = this.#asked.get(event.data.call) ?? { name: event.data.name, arguments: '' }
        this.#asked.delete(event.data.call)
        return call(asked, event.data, this.#pictures)
      }
      default:
        return marked(event)
    }
  }

  /** Calls that never got a result: the log ends in the middle of a turn. */
  async unanswered(): Promise<readonly Html[]> {
    const shown: Html[] = []
    for (const asked of this.#asked.values()) shown.push(await call(asked, undefined, this.#pictures))
    this.#asked.clear()
    return shown
  }

  async #user(content: readonly Content[], source: Source): Promise<Html> {
    const from = source.name === undefined ? source.kind : `${source.kind} ${source.name}`
    const parts: Html[] = []
    for (const part of content) parts.push(part.type === 'text' ? said(part.text) : await this.#pictures.show(part))
    if (source.kind === 'context')
      return html`<details><summary>${from}</summary>${parts}</details>
`
    return html`<div class="me">${source.kind === 'person' ? undefined : html`<p class="who">${from}</p>`}${parts}</div>
`
  }

  #reply({ data }: EventNamed<'assistant/message'>): Html {
    const parts: Html[] = []
    for (const block of data.content) {
      if (block.type === 'call') this.#asked.set(block.id, { name: block.name, arguments: block.arguments })
      if (block.type === 'text' && block.text.trim() !== '') parts.push(said(block.text))
      if (block.type === 'reasoning' && block.text.trim() !== '')
        parts.push(html`<details><summary>reasoning</summary>${said(block.text)}</details>`)
    }
    if (data.interrupted !== undefined)
      parts.push(html`<p class="mark warn">the reply did not finish (${data.interrupted})</p>`)
    return html`<div>${parts}</div>
`
  }
}

const serious: ReadonlySet<string> = new Set(['session/damage', 'turn/end', 'retry/scheduled', 'approval/decided'])

function marked(event: SessionEvent): Html | undefined {
  const text = markOf(event, { paint: paint(false), width: 200, lines: 40 })
  if (text === undefined || text === '') return undefined
  const look = event.type === 'session/damage' ? ' bad' : serious.has(event.type) ? ' warn' : ''
  return html`<p class="mark${look}">${text}</p>
`
}
