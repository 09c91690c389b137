import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import type { AppendOptions, InboxItem, LiveSession, Ports, SessionEvent, Store } from '@rein/session'
import { FailureError, repair } from '@rein/session'
import { Agent } from '../agent/agent.ts'
import type { AgentParts, AgentSettings } from '../agent/parts.ts'
import { backoff } from '../model/retry.ts'
import type { Sleep } from '../model/sleep.ts'
import { left } from './left.ts'
import type { RunCall } from './played-calls.ts'
import { playedParts } from './played-parts.ts'
import { RecordedPorts } from './recorded-ports.ts'
import type { Recording, Stretch } from './recording.ts'
import { over, type Parting, ReplayLog } from './replay-log.ts'
import { sessionOver } from './replay-session.ts'
import type { Stage } from './stage.ts'
import { Turnstile } from './turnstile.ts'

export interface PlaybackOptions {
  readonly recording: Recording
  readonly stretch: Stretch
  /** Only its blobs are asked for. */
  readonly store: Store
  /** What a session would stand on today. */
  readonly parts: (at: { session: LiveSession; ports: Ports; stretch: Stretch }) => Promise<AgentParts>
  readonly settings: Omit<AgentSettings, 'chance' | 'sleep'>
  readonly run: RunCall
  /** Whether something works that may take as long as it likes. */
  readonly busy: () => boolean
  readonly tolerates: (parting: Parting) => boolean
  /** How often nothing may move, some 15 ms each, while a loop or a plugin works on something nobody sees. */
  readonly patience: number
}

/** One process's stretch of a recording, driven again by today's agent. */
export class Playback implements Stage {
  readonly recording: Recording
  readonly turnstile = new Turnstile()
  readonly until: number
  readonly #options: PlaybackOptions
  readonly #ports: RecordedPorts
  readonly #log: ReplayLog
  #agent: Agent | undefined
  #giving = true
  /** Ends the wait between two attempts that is under way. */
  #wake: (() => void) | undefined

  constructor(options: PlaybackOptions) {
    const { recording, stretch, tolerates } = options
    this.#options = options
    this.recording = recording
    this.until = stretch.until
    this.#ports = new RecordedPorts(recording, () => this.length())
    const ends = { from: stretch.from, until: stretch.until }
    const sink = { append: async () => undefined, sync: async () => undefined }
    const [before, onEvent] = [() => this.giveAll(), () => this.#advance()]
    this.#log = new ReplayLog({ recording, ...ends, ports: this.#ports, sink, before, onEvent, tolerates })
  }

  length(): number {
    return this.#log.events.length
  }

  mint(ids: readonly string[]): void {
    this.#ports.minted = ids
  }

  async stopSoon(seq: number): Promise<void> {
    await turn()
    this.#stop(seq)
  }

  /** @returns where today's agent went another way; undefined when it did not. */
  async run(): Promise<Parting | undefined> {
    const { store, parts, settings } = this.#options
    const session = sessionOver(this.#log, { store, drained: () => this.giveAll() })
    try {
      this.#open()
      if (this.#log.closed) return this.#log.parting
      if (this.#isAllGiven()) {
        while (!this.#log.closed) this.#give()
        return this.#log.parting
      }
      const today = await parts({ session, ports: this.#ports, stretch: this.#options.stretch })
      const chance = () => this.#chance()
      const sleep: Sleep = (_ms, signal) => this.#sleep(signal)
      const model = this.recording.nextHeader(this.length()) ?? { provider: 'none', model: 'none' }
      const agent = new Agent(playedParts(today, this, this.#options.run), { ...settings, chance, sleep }, model)
      this.#agent = agent
      this.#giving = false
      this.giveAll()
      await this.#drive(agent)
      await left(agent)
    } catch (error) {
      if (!(error instanceof FailureError) || !this.#log.closed) throw error
    }
    return this.#log.parting
  }

  /** What opened the session, and what today's repair makes of what it found. */
  #open(): void {
    const first = this.recording.events[this.length()]
    if (!first) return
    this.#append(first)
    if (first.type !== 'session/resume' && first.type !== 'session/fork') return
    for (const { type, data } of repair(this.#log.events)) {
      if (this.#log.closed) return
      this.#log.append(type, data)
    }
  }

  #isAllGiven(): boolean {
    for (let seq = this.length(); seq < this.until; seq++) if (!this.recording.isGiven(seq)) return false
    return true
  }

  #append({ type, data, surface, sources }: SessionEvent): void {
    const options: AppendOptions = { ...(surface && { surface }), ...(sources && { sources }) }
    try {
      this.#log.append(type, data, options)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      const seq = this.length()
      this.#log.part({ seq, now: { type, data }, place: { path: '', was: type, now: error.message } })
    }
  }

  /**
   * After each event: what is given next is given, and whatever waited for this place goes on. What comes from outside
   * comes between two turns of the event loop, never between two things the agent does at once.
   */
  #advance(): void {
    if (this.#giving) return
    if (!this.#log.closed && this.recording.isGiven(this.length())) setImmediate(() => this.giveAll())
    else this.#goOn()
  }

  giveAll(): void {
    if (this.#giving || this.#log.closed) return
    this.#giving = true
    while (!this.#log.closed && this.recording.isGiven(this.length())) this.#give()
    this.#giving = false
    this.#goOn()
  }

  #goOn(): void {
    if (this.#log.closed) {
      this.turnstile.close(over)
      this.#wake?.()
      return
    }
    this.#prompt()
    this.turnstile.reached(this.length())
  }

  #give(): void {
    const event = this.recording.events[this.length()]
    if (!event) return
    const seq = this.length()
    this.#stop(seq)
    const item = postedIn(event)
    // Posted as it was, so that the agent takes it in; a known id is taken once.
    if (item) void this.#agent?.post(item).catch(ended)
    if (!this.#log.closed && this.length() === seq) this.#append(event)
  }

  /** What no stand-in of model, tool or person does: choose the model, end a wait, stop a turn. */
  #prompt(): void {
    const seq = this.length()
    const next = this.recording.events[seq]
    const header = this.recording.nextHeader(seq)
    if (this.#agent && header) this.#agent.model = { provider: header.provider, model: header.model }
    if (next && !isStoppedByStandIn(next, this.recording)) this.#stop(seq)
    if (next?.type === 'retry/started' && next.data.outcome === 'started') setImmediate(() => this.#wake?.())
  }

  /** A wait is as long as it is until the recording goes on, or the turn is told to end. */
  #sleep(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
      if (signal.aborted) resolve()
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  /** The chance that made the recorded wait, where today's rule can make it. */
  #chance(): number {
    const next = this.recording.events[this.length()]
    if (next?.type !== 'retry/scheduled') return 0
    const most = backoff(next.data.attempt - 1, 1)
    return most === 0 ? 0 : Math.min(next.data.waitMs / most, 1 - Number.EPSILON)
  }

  #stop(seq: number): void {
    const how = this.recording.stopAt(seq)
    if (how) void this.#agent?.cancel(how).catch(ended)
  }

  async #drive(agent: Agent): Promise<void> {
    let still = 0
    for (let seq = -1; !this.#log.closed; seq = this.length()) {
      if (seq !== this.length()) still = 0
      await this.#calm()
      if (this.#log.closed || this.length() !== seq || this.turnstile.letOn()) continue
      still++
      if (agent.phase === 'idle' && still === 1) agent.wake()
      else if (agent.phase === 'idle' || still > this.#options.patience) this.#getStuck()
    }
  }

  #getStuck(): void {
    const seq = this.length()
    const then = this.recording.events[seq]?.type ?? ''
    this.#log.part({ seq, now: { type: 'nothing', data: null }, place: { path: 'type', was: then, now: 'nothing' } })
    this.turnstile.close(over)
  }

  /** Until nothing moves: every promise is through, no file is being looked at, and nothing that may take long works. */
  async #calm(): Promise<void> {
    const seq = this.length()
    for (let rounds = 0; rounds < calmRounds; rounds++) {
      await (rounds < quickRounds ? turn() : delay(1))
      if (this.#log.closed || this.length() !== seq) return
      if (this.#options.busy() || process.getActiveResourcesInfo().some((kind) => kind.startsWith('FSReq'))) rounds = 0
    }
  }
}

/** Turns of the event loop without anything happening: at first as fast as they come, then a millisecond each. */
const quickRounds = 30
const calmRounds = 40

/** What an agent whose replay is over leaves behind is nobody's trouble. */
function ended(error: unknown): void {
  if (!(error instanceof FailureError)) throw error
}

function postedIn(event: SessionEvent): InboxItem | undefined {
  if (event.type !== 'inbox/spliced' || event.data.reason !== 'posted') return undefined
  const [item, ...more] = event.data.insert
  return more.length === 0 && event.data.remove.length === 0 ? item : undefined
}

/** Model, tool and person stop the turn themselves, once they have come as far as they had come. */
function isStoppedByStandIn(event: SessionEvent, { calls }: Recording): boolean {
  if (event.type === 'request/settled' || event.type === 'approval/decided') return true
  if (event.type !== 'tool/result' || event.data.outcome.kind !== 'cancelled') return false
  return calls.permitted(event.data.call) !== event.seq
}
