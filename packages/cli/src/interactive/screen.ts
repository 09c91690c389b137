import type { Agent, Delta } from '@rein/harness'
import {
  type DataOf,
  type EventType,
  fold,
  header,
  inbox,
  permission,
  type SessionEvent,
  type Usage,
  usage,
  waitingIn,
} from '@rein/session'
import type { Cli } from '../cli.ts'
import { GrantedAnswers } from '../view/granted-answers.ts'
import { joined } from '../view/joined.ts'
import { openedText } from '../view/marks.ts'
import { type Paint, paint } from '../view/paint.ts'
import { render } from '../view/render.ts'
import { safeText } from '../view/safe-text.ts'
import { tokenLine } from '../view/token-line.ts'
import { UnshownCalls } from '../view/unshown-calls.ts'
import type { Terminal } from './terminal.ts'

/** Events a person sees in another form: typed, asked, or told when the turn is over. */
const elsewhere: ReadonlySet<EventType> = new Set<EventType>([
  'system/message',
  'approval/asked',
  'session/resume',
  'session/fork',
  'command/run',
  'command/done',
  'inbox/parked',
])

/** One session on a terminal: replies as they stream in, calls, diffs and marks as they become facts. */
export class Screen implements Disposable {
  readonly #terminal: Terminal
  readonly #agent: Agent
  readonly #paint: Paint
  readonly #color: boolean
  /** Answers go to a terminal. */
  readonly #shown: boolean
  readonly #listening: readonly Disposable[]
  readonly #calls = new UnshownCalls()
  readonly #answers = new GrantedAnswers()
  readonly #typed = new Set<string>()
  #block: string | undefined
  #failed: unknown

  constructor(cli: Cli, terminal: Terminal, agent: Agent) {
    this.#terminal = terminal
    this.#agent = agent
    this.#color = cli.color && terminal.person
    this.#shown = cli.terminal
    this.#paint = paint(this.#color)
    const { log } = agent.session
    this.#listening = [
      agent.listen({ delta: (delta) => this.#delta(delta) }),
      log.onWritten((event) => this.#event(event)),
    ]
  }

  get paint(): Paint {
    return this.#paint
  }

  /** Why no more of an answer could be printed: its reader is gone. */
  get failed(): unknown {
    return this.#failed
  }

  /** Who answers, what it may do, and what it should know of the session before the first line. */
  greet(version: string): void {
    const { session, model, mode, settings } = this.#agent
    const { bold, dim, red } = this.#paint
    const name = `rein ${version}`
    const parts = [`${name} ${model.provider}/${model.model}`, mode, settings.cwd, session.id, '/help'].map(safeText)
    const [first = '', ...more] = joined(
      parts,
      this.#shown ? (process.stdout.columns ?? 100) : Number.POSITIVE_INFINITY,
    )
    this.#terminal.line(bold(name) + dim(first.slice(name.length)))
    for (const line of more) this.#terminal.line(dim(line))
    const enforced = session.log.state(permission).enforced
    if (enforced?.level === 'none' && mode !== 'full-access') {
      this.#terminal.line(dim('There is no sandbox here: you are asked about each command before it runs.'))
    }
    if (mode === 'full-access') this.#terminal.line(dim('Full access: commands run unconfined.'))
    for (const text of openedText(session)) this.#terminal.line(red(text))
  }

  /** An item of the inbox that holds what was typed here. */
  typed(item: string): void {
    this.#typed.add(item)
  }

  /** Input that waits and does not start by itself. */
  parked(): void {
    const state = this.#agent.session.log.state(inbox)
    const { parked } = state
    const waiting = waitingIn(state)
    if (parked === undefined || waiting.length === 0) return
    const { yellow, dim } = this.#paint
    this.#terminal.line(yellow(`waits since the turn was ${parked === 'budget' ? 'ended by a budget' : parked}:`))
    for (const { content } of waiting) {
      const text = content.map((part) => (part.type === 'text' ? part.text : '[picture]')).join(' ')
      this.#terminal.line(`  ${safeText(text)}`)
    }
    this.#terminal.line(dim('Your next message releases it: it is said first.'))
  }

  /** Tokens and cost, of the last turn and of the session. */
  spent(): void {
    const { events } = this.#agent.session.log
    const begin = events.findLastIndex(({ type }) => type === 'turn/start')
    const turn: Usage = fold(usage, events.slice(Math.max(0, begin))).total
    this.#terminal.line(this.#paint.dim(tokenLine(this.#agent.session.log.state(usage), turn)))
  }

  /** The model that answers, as the log has it, else as it was chosen. */
  model(): string {
    const logged = this.#agent.session.log.state(header)?.header
    const { provider, model } = this.#agent.model
    const next = `${provider}/${model}`
    return logged && `${logged.provider}/${logged.model}` !== next ? `${next}, from the next message on` : next
  }

  [Symbol.dispose](): void {
    for (const one of this.#listening) one[Symbol.dispose]()
  }

  #delta(delta: Delta): void {
    if (delta.kind !== 'text' && delta.kind !== 'reasoning') return
    const block = `${delta.kind} ${delta.block}`
    if (this.#block !== undefined && this.#block !== block) this.#terminal.say('\n')
    this.#block = block
    // A carriage return would move the cursor; the line feed of its pair follows.
    const text = safeText(delta.text.replaceAll('\r', ''))
    if (delta.kind === 'reasoning') this.#terminal.say(this.#paint.dim(text))
    // A program that reads the answers gets every byte of them.
    else
      this.#terminal.answer(this.#shown ? text : delta.text).catch((error: unknown) => {
        this.#failed = error
      })
  }

  #event(event: SessionEvent): void {
    if (event.type === 'request/settled') this.#endBlock()
    const unshown = this.#calls.next(event)
    if (event.type === 'approval/asked') this.#calls.shown(event.data.call)
    const repeated = this.#answers.repeats(event)
    if (repeated || elsewhere.has(event.type) || (event.type === 'user/message' && this.#isKnown(event.data))) return
    const shown = render(event, { color: this.#color, cwd: this.#agent.settings.cwd, streamed: true, unshown })
    if (shown !== undefined) this.#terminal.line(shown)
  }

  /** What this person typed here stands on the screen; what another terminal or an earlier turn posted does not. */
  #isKnown({ source, item }: DataOf<'user/message'>): boolean {
    if (isPerson(source)) return item === undefined || this.#typed.delete(item)
    return source.kind !== 'job' && source.kind !== 'child' && source.name !== 'token-limit'
  }

  #endBlock(): void {
    if (this.#block === undefined) return
    this.#block = undefined
    this.#terminal.endLine().catch((error: unknown) => {
      this.#failed = error
    })
  }
}

const isPerson = (source: { readonly kind: string }): boolean => source.kind === 'person'
