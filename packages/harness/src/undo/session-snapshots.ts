import type { Slot } from '@rein/kernel'
import type { SessionLog } from '@rein/session'
import type { Agent } from '../agent/agent.ts'
import type { Loop, TurnContext, TurnEnd } from '../agent/loop.ts'
import type { Call } from '../tools/definition.ts'
import type { Collected } from './collect.ts'
import { plugin } from './history.ts'
import type { Job, JobResult, Place, Taken } from './job.ts'
import type { SnapshotLimits } from './limits.ts'
import { refusal } from './refusal.ts'
import type { Undo } from './undo-thread.ts'

export interface SessionSnapshotsOptions {
  readonly undo: Undo
  readonly userHome: string
  readonly limits: SnapshotLimits
}

/** One turn's snapshots. */
interface TurnFiles {
  readonly turn: number
  readonly signal: AbortSignal
  /** The look before the first change; whether there was one. */
  before: Promise<'taken' | 'missing' | 'cancelled'> | undefined
}

/** The snapshots of one session. */
export class SessionSnapshots {
  readonly #log: SessionLog
  readonly #place: Place
  readonly #options: SessionSnapshotsOptions
  /** Why there are none; said once. */
  readonly #refused: string | undefined
  #said = false
  #prepared = false
  #turn: TurnFiles | undefined
  #collected: Collected | undefined

  constructor(session: { id: string; cwd: string; log: SessionLog }, options: SessionSnapshotsOptions) {
    this.#log = session.log
    this.#place = { session: session.id, root: session.cwd }
    this.#options = options
    this.#refused = refusal(session.cwd, options.userHome)
  }

  /** The loop of the session with a look at the files around each of its turns. */
  around(loop: Slot<Loop>): Slot<Loop> {
    return {
      name: loop.name,
      lease: () => loop.lease(),
      current: () => loop.current(),
      use: (work) => loop.use((inner) => work({ turn: (context) => this.#around(inner, context) })),
    }
  }

  /** The first call of a reply begins: look at the files while the rest of it still comes. */
  watch(agent: Agent): Disposable {
    return agent.listen({
      delta: ({ kind }) => {
        if (kind === 'call' && agent.mode !== 'read-only') this.#prepare()
      },
    })
  }

  /** Read everything once, so that the snapshot before the first change finds most of it known. */
  #prepare(): void {
    if (this.#prepared || this.#refused !== undefined || !this.#turn) return
    this.#prepared = true
    void this.#options.undo.run({ kind: 'take', place: this.#place }, this.#turn.signal)
    this.#makeRoom()
  }

  async #around(loop: Loop, context: TurnContext): Promise<TurnEnd> {
    const files: TurnFiles = { turn: context.turn, signal: context.signal, before: undefined }
    this.#turn = files
    try {
      return await loop.turn(context)
    } finally {
      if ((await files.before) === 'taken' && this.#log.poison === undefined) await this.#after(files.turn)
      this.#turn = undefined
    }
  }

  /** Resolves when the call may run. The calls of a turn share one snapshot. */
  async before({ turn }: Call): Promise<'go' | 'cancelled'> {
    const files = this.#turn
    if (files?.turn !== turn) return 'go'
    files.before ??= this.#before(files)
    return (await files.before) === 'cancelled' ? 'cancelled' : 'go'
  }

  async #before({ turn, signal }: TurnFiles): Promise<'taken' | 'missing' | 'cancelled'> {
    if (this.#refused !== undefined) return this.#missing(turn, this.#refused)
    this.#prepared = true
    const result = await this.#within({ kind: 'take', place: this.#place }, signal)
    if (signal.aborted) return 'cancelled'
    if (result.kind !== 'taken') return this.#missing(turn, reasonOf(result, this.#options.limits.waitMs))
    this.#record(turn, 'before', result.taken)
    await this.#log.written()
    return 'taken'
  }

  /** Also of a turn that was cancelled: what it changed can be taken back like everything else. */
  async #after(turn: number): Promise<void> {
    const result = await this.#within({ kind: 'take', place: this.#place })
    if (result.kind === 'taken') this.#record(turn, 'after', result.taken)
    else this.#missing(turn, reasonOf(result, this.#options.limits.waitMs))
    this.#sayCollected()
    this.#makeRoom()
  }

  #within(job: Job, signal?: AbortSignal): Promise<JobResult> {
    const { undo, limits } = this.#options
    // A timer of nothing would still be a race.
    const late = limits.waitMs > 0 ? AbortSignal.timeout(limits.waitMs) : AbortSignal.abort()
    return undo.run(job, signal ? AbortSignal.any([signal, late]) : late)
  }

  #record(turn: number, when: 'before' | 'after', taken: Taken): void {
    this.#log.append('files/snapshot', { id: taken.id, turn, when, ...factsOf(taken) })
  }

  #missing(turn: number, reason: string): 'missing' {
    // What holds for the whole session is said once.
    if (this.#refused === undefined || !this.#said) this.#note('unavailable', { turn, reason })
    this.#said = true
    return 'missing'
  }

  #makeRoom(): void {
    void this.#options.undo.run({ kind: 'collect' }).then((done) => {
      if (done.kind === 'collected' && done.collected && done.collected.snapshots > 0) this.#collected = done.collected
    })
  }

  /** Snapshots were removed to make room: that is said in the next turn that changes something. */
  #sayCollected(): void {
    if (this.#collected) this.#note('collected', { ...this.#collected })
    this.#collected = undefined
  }

  #note(kind: string, data: { readonly [key: string]: string | number }): void {
    this.#log.append('plugin/note', { plugin, kind, v: 1, data })
  }
}

const factsOf = ({ files, bytes, skipped }: Taken) => ({ files, bytes, skipped })

function reasonOf(result: JobResult, waitMs: number): string {
  if (result.kind === 'stopped') return `The snapshot took longer than ${waitMs} ms.`
  return result.kind === 'failed' ? result.failure.message : 'There is no snapshot.'
}
