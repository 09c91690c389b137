import type { Failure, InboxItem, LiveSession, PermissionMode, Posted } from '@rein/session'
import { due, FailureError, inbox, laneOf, parks, permission, removalOf, waitingIn, wakes } from '@rein/session'
import type { Delta } from '../model/assembler.ts'
import { Answers } from '../tools/answers.ts'
import { Requests } from './attempt.ts'
import type { ModelChoice } from './header.ts'
import type { TurnEnd } from './loop.ts'
import type { AgentParts, AgentSettings } from './parts.ts'
import { park, runTurn, type TurnAgent } from './turn.ts'

/** What happens now, for a screen. Nothing here is a fact; facts are events. */
export interface AgentListener {
  delta?(delta: Delta): void
  progress?(call: string, text: string): void
  phase?(phase: Phase): void
}

export type Phase = 'idle' | 'maintenance' | 'running'

export type Input = Omit<InboxItem, 'id'> & { readonly id?: string }

/** How often the holder of a session says that it lives, in milliseconds. */
const renewMs = 1000

/** One session's agent: takes input and drives turns one after the other. All it knows of the session are folds of its log. */
export class Agent {
  readonly session: LiveSession
  readonly settings: AgentSettings
  model: ModelChoice
  readonly #parts: AgentParts
  readonly #requests: Requests
  readonly #view: TurnAgent
  readonly #answers = new Answers()
  readonly #listeners = new Set<AgentListener>()
  #phase: Phase = 'idle'
  #turn: AbortController | undefined
  #stop: { readonly end: TurnEnd; released: boolean } | undefined
  #idle: Promise<void> = Promise.resolve()
  #failure: Failure | undefined
  #draining: Promise<void> = Promise.resolve()
  #first = true
  readonly #posted: Disposable
  readonly #heartbeat: NodeJS.Timeout
  readonly #written: Disposable

  constructor(parts: AgentParts, settings: AgentSettings, model: ModelChoice) {
    this.#parts = parts
    this.session = parts.session
    this.settings = settings
    this.model = model
    this.#requests = new Requests(parts)
    this.#view = {
      requests: this.#requests,
      model: () => this.model,
      mode: () => this.mode,
      drain: () => this.drain(),
      answers: this.#answers,
      onDelta: (delta) => this.#tell((listener) => listener.delta?.(delta)),
      onProgress: (call, text) => this.#tell((listener) => listener.progress?.(call, text)),
    }
    // A lost lease shows itself at the next barrier; a missed renewal only makes a take-over more likely.
    this.#heartbeat = setInterval(() => void parts.session.lease.renew().catch(() => undefined), renewMs).unref()
    this.#posted = parts.session.lease.onPosted(() => void this.drain())
    this.#written = parts.session.log.onWritten((event) => parts.hooks.onEvent.emit(event))
  }

  get phase(): Phase {
    return this.#phase
  }

  /** Why this agent can do nothing more: its log could not be written, or the session was taken over. */
  get failure(): Failure | undefined {
    return this.#failure ?? this.session.log.poison
  }

  listen(listener: AgentListener): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  /**
   * Put input in the inbox. Durable when it resolves; a known id is taken once. Wakes the agent unless it is an inject.
   * @throws FailureError when nothing can be written any more: `failure` says why.
   */
  async post(input: Input): Promise<string> {
    const { log } = this.session
    const item: InboxItem = { ...input, id: input.id ?? this.#parts.ports.id('in') }
    this.#enter(item)
    await log.synced()
    this.wake()
    return item.id
  }

  /** Take in what others posted to the store. Each item enters the log once, and is forgotten there when it is synced. */
  drain(): Promise<void> {
    this.#draining = this.#draining.then(() => this.#drain()).catch((error) => this.#lost(error))
    return this.#draining
  }

  /** Stop the running turn. Resolves when it has ended; does nothing when none runs. */
  async cancel(end: TurnEnd = { outcome: 'cancelled' }): Promise<void> {
    if (this.#phase !== 'running') return
    this.#stop ??= { end, released: false }
    this.#turn?.abort()
    await this.#idle
  }

  /** Do something to the session that no turn may run beside. Starts only from idle; input that comes meanwhile waits. */
  maintain<T>(work: () => Promise<T>): Promise<T> {
    if (this.#phase === 'idle') return this.#during('maintenance', work)
    return Promise.reject(new Error(`maintenance starts from idle, not from ${this.#phase}`))
  }

  /** Resolves when nothing runs and no turn is due. */
  async whenIdle(): Promise<void> {
    while (this.#phase !== 'idle') await this.#idle
  }

  /** Start a turn when one is due and none runs: after opening a session whose inbox is not empty. */
  wake(): void {
    if (this.#phase === 'idle' && !this.failure && due(this.session.log.state(inbox)))
      void this.#during('running', () => this.#drive())
  }

  async close(): Promise<void> {
    await this.cancel()
    this.#posted[Symbol.dispose]()
    await this.#draining
    this.#written[Symbol.dispose]()
    clearInterval(this.#heartbeat)
    this.#requests[Symbol.dispose]()
    await this.session.close()
  }

  get mode(): PermissionMode {
    return this.session.log.state(permission).mode ?? 'read-only'
  }

  #enter(item: InboxItem): void {
    const { log } = this.session
    const state = log.state(inbox)
    if (state.known.has(item.id)) return
    const lane = laneOf(item)
    const start = (lane === 'next-turn' ? state.nextTurn : state.nextStep).length
    const insert = [{ ...item, content: this.#parts.redact.content(item.content) }]
    log.append('inbox/spliced', { lane, start, remove: [], insert, reason: 'posted' })
    if (this.#stop && wakes(item)) this.#stop.released = true
  }

  async #drain(): Promise<void> {
    const { lease, log } = this.session
    const posted: readonly Posted[] = await lease.posted()
    // A stop that was there at the first look was meant for a turn of an earlier holder.
    const first = this.#first
    this.#first = false
    if (posted.length === 0) return
    for (const entry of posted) {
      if (entry.kind === 'input') this.#enter(itemOf(entry))
      else if (entry.kind === 'answer') this.#answers.give(entry)
      else if (entry.item !== undefined || !first) this.#withdraw(entry.item)
    }
    await log.synced()
    await lease.settle(posted.map(({ id }) => id))
    this.wake()
  }

  #withdraw(id: string | undefined): void {
    const { log } = this.session
    const item = waitingIn(log.state(inbox)).find((waiting) => waiting.id === id)
    if (item) log.append('inbox/spliced', removalOf(item, 'withdrawn'))
    else if (id === undefined) void this.cancel()
  }

  /** A wake that comes meanwhile is seen to afterwards. */
  async #during<T>(phase: Phase, work: () => Promise<T>): Promise<T> {
    const over = Promise.withResolvers<void>()
    this.#idle = over.promise
    this.#enterPhase(phase)
    try {
      return await work()
    } finally {
      this.#enterPhase('idle')
      this.wake()
      over.resolve()
    }
  }

  async #drive(): Promise<void> {
    try {
      while (!this.failure && due(this.session.log.state(inbox))) await this.#runTurn()
    } catch (error) {
      this.#lost(error)
    }
  }

  async #runTurn(): Promise<void> {
    const { log } = this.session
    // Told to stop between two turns: what waits was not asked to start.
    if (this.#stop && !this.#stop.released) return park(log, 'cancelled')
    this.#stop = undefined
    this.#turn = new AbortController()
    const { signal } = this.#turn
    const stopped = () => this.#stop?.end ?? { outcome: 'cancelled' as const }
    const released = () => this.#stop?.released === true
    const outcome = await runTurn(this.#parts, {
      settings: this.settings,
      signal,
      stopped,
      released,
      agent: this.#view,
    })
    this.#turn = undefined
    // A stop that came when the turn was already over is for what waits.
    if (parks(outcome)) this.#stop = undefined
    await log.synced()
  }

  #lost(error: unknown): void {
    if (error instanceof FailureError) this.#failure ??= error.failure
    else {
      this.#failure ??= { code: 'PLUGIN_FAILED', message: `The agent broke off: ${String(error)}` }
      throw error
    }
  }

  #enterPhase(phase: Phase): void {
    this.#phase = phase
    this.#tell((listener) => listener.phase?.(phase))
  }

  #tell(say: (listener: AgentListener) => void): void {
    for (const listener of this.#listeners) say(listener)
  }
}

const itemOf = ({ id, delivery, content, source }: Extract<Posted, { kind: 'input' }>): InboxItem => {
  return { id, delivery, content, source }
}
