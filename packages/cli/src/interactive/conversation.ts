import type { Agent } from '@rein/harness'
import { FailureError } from '@rein/session'
import { answersText, questionText, read, settle } from '../asking.ts'
import type { Cli } from '../cli.ts'
import { exitOf, exits } from '../exit.ts'
import { slashWord } from '../slash-word.ts'
import type { Hosted, StartOptions } from '../start.ts'
import { safeText } from '../view/safe-text.ts'
import { firstScreen } from './first-screen.ts'
import { leave } from './leave.ts'
import type { Mailbox } from './mailbox.ts'
import { Screen } from './screen.ts'
import { slash, told } from './slash.ts'
import type { Heard, Terminal } from './terminal.ts'

/** Everything a session on a terminal reacts to, one thing after the other. */
export type Happening =
  | Heard
  /** The turn is over. */
  | { readonly kind: 'idle'; readonly agent: Agent }
  /** What waits for an answer changed. */
  | { readonly kind: 'asked' }
  | { readonly kind: 'terminated' }

export interface ConversationOptions {
  readonly cli: Cli
  readonly host: Hosted
  readonly terminal: Terminal
  readonly mailbox: Mailbox<Happening>
  /** What sessions are opened with. */
  readonly start: StartOptions
}

/** A person and an agent, line by line. */
export class Conversation {
  readonly #options: ConversationOptions
  #agent: Agent
  #screen: Screen
  #attached: readonly Disposable[] = []
  /** Lines that came while a turn ran and nobody was there to steer it. */
  readonly #later: string[] = []
  #ended = false
  #cancelling = false
  #asked: string | undefined
  #exit: number = exits.done

  constructor(options: ConversationOptions, agent: Agent) {
    this.#options = options
    this.#agent = agent
    this.#screen = this.#attach(agent)
  }

  /** The agent of the session that is open now. */
  get agent(): Agent {
    return this.#agent
  }

  /** @returns the exit code. */
  async run(): Promise<number> {
    this.#screen.greet(this.#options.cli.version)
    this.#screen.parked()
    this.#agent.wake()
    for (;;) {
      this.#prompt()
      const exit = await this.#react(await this.#options.mailbox.take())
      if (exit !== undefined) return exit
      if (this.#screen.failed !== undefined) return exits.error
    }
  }

  detach(): void {
    for (const one of this.#attached) one[Symbol.dispose]()
  }

  #attach(agent: Agent): Screen {
    const { cli, terminal, mailbox, host } = this.#options
    const screen = new Screen(cli, terminal, agent)
    let running = false
    const phases = agent.listen({
      phase: (phase) => {
        if (phase === 'idle' && running) mailbox.put({ kind: 'idle', agent })
        running = phase === 'running'
      },
    })
    this.#attached = [screen, phases, host.approvals.onChange(() => mailbox.put({ kind: 'asked' }))]
    return screen
  }

  #prompt(): void {
    const { terminal, host } = this.#options
    if (this.#ended) return
    const request = host.approvals.pending()[0]
    if (request) {
      if (this.#asked !== request.id) terminal.line(this.#screen.paint.yellow(`? ${questionText(request)}`))
      this.#asked = request.id
      terminal.prompt('? ')
    } else if (this.#agent.phase === 'idle') terminal.prompt('› ')
  }

  async #react(happening: Happening): Promise<number | undefined> {
    switch (happening.kind) {
      case 'line':
        return this.#line(happening.text)
      case 'interrupt':
        return this.#interrupt(happening.typed)
      case 'end':
        return this.#end()
      case 'idle':
        return happening.agent === this.#agent ? this.#idle() : undefined
      case 'asked':
        if (this.#ended) this.#refuseAll()
        return undefined
      case 'terminated':
        return exits.terminated
    }
  }

  async #line(text: string): Promise<number | undefined> {
    const { host, terminal } = this.#options
    const request = host.approvals.pending()[0]
    if (request) {
      const said = read(text, request)
      if (said.kind === 'unclear') terminal.line(answersText)
      else settle(host.approvals, this.#agent, { request, said, id: host.ports.id('grant') })
      return undefined
    }
    if (text.trim() === '') return undefined
    if (this.#agent.phase !== 'idle' && !terminal.person) this.#later.push(text)
    else if (text.trim() === '/' || slashWord(text) !== undefined) return this.#slash(text)
    else return this.#say(text)
    return undefined
  }

  /** While a turn runs it is said to it; otherwise it starts one. */
  async #say(text: string): Promise<number | undefined> {
    const delivery = this.#agent.phase === 'running' ? 'steer' : 'followup'
    const id = this.#options.host.ports.id('in')
    this.#screen.typed(id)
    try {
      await this.#agent.post({ id, delivery, content: [{ type: 'text', text }], source: { kind: 'person' } })
      return undefined
    } catch (error) {
      if (!(error instanceof FailureError)) throw error
      return this.#broken()
    }
  }

  async #slash(text: string): Promise<number | undefined> {
    const { cli, host, terminal, start } = this.#options
    const context = { cli, host, terminal, options: start, agent: this.#agent, screen: this.#screen }
    const done = await slash(context, text)
    if (!done.ok) terminal.line(this.#screen.paint.yellow(safeText(told(done.failure))))
    else if (done.value.kind === 'quit') return exits.done
    else if (done.value.kind === 'switch') await this.#switch(done.value.agent)
    return this.#nextLine()
  }

  async #switch(agent: Agent): Promise<void> {
    const before = this.#agent
    this.detach()
    this.#agent = agent
    this.#screen = this.#attach(agent)
    await leave(this.#options.host, before)
    await this.#recall(agent)
    this.#screen.greet(this.#options.cli.version)
    this.#screen.parked()
    agent.wake()
  }

  /** Where the session stands that goes on; a new one stands at its beginning. */
  async #recall({ session, settings }: Agent): Promise<void> {
    const { cli, terminal } = this.#options
    const lines = await firstScreen(cli, session.store, { id: session.id, cwd: settings.cwd })
    for (const line of lines) terminal.line(line)
  }

  #interrupt(typed: string): number | undefined {
    if (this.#agent.phase === 'idle') return typed === '' ? exits.interrupted : undefined
    if (this.#cancelling) return exits.interrupted
    this.#cancelling = true
    this.#options.terminal.line(this.#screen.paint.dim('stopping the turn; Ctrl-C again ends rein'))
    void this.#agent.cancel()
    return undefined
  }

  /** No more lines come; what runs or waits is finished first. */
  async #end(): Promise<number | undefined> {
    this.#ended = true
    this.#refuseAll()
    return this.#agent.phase === 'idle' ? this.#nextLine() : undefined
  }

  #refuseAll(): void {
    const { approvals } = this.#options.host
    for (const { id } of approvals.pending()) approvals.answer(id, { decision: 'unanswered', by: 'nobody' })
  }

  async #idle(): Promise<number | undefined> {
    this.#cancelling = false
    if (this.#agent.failure) return this.#broken()
    const { events } = this.#agent.session.log
    const end = events.findLast(({ type }) => type === 'turn/end')
    if (end?.type === 'turn/end') this.#exit = exitOf({ outcome: end.data.outcome, denied: false, answered: true })
    this.#screen.spent()
    this.#screen.parked()
    return this.#nextLine()
  }

  /** Go on with a line that waited; without one, a closed input is the end. */
  async #nextLine(): Promise<number | undefined> {
    if (this.#agent.phase !== 'idle') return undefined
    const next = this.#later.shift()
    if (next !== undefined) return this.#line(next)
    // With a person the turns were seen; without one the last of them is what a script asks for.
    return this.#ended ? (this.#options.terminal.person ? exits.done : this.#exit) : undefined
  }

  #broken(): number {
    const { failure } = this.#agent
    if (failure) this.#options.terminal.line(this.#screen.paint.red(safeText(`${failure.code}: ${told(failure)}`)))
    return exits.error
  }
}
