import { type Agent, StorePort } from '@rein/harness'
import {
  type Failure,
  FailureError,
  fold,
  header,
  type Posted,
  permission,
  type Result,
  readLog,
  type SessionEvent,
  type Store,
} from '@rein/session'
import { Answering } from './answering.ts'
import type { Args } from './args.ts'
import type { Cli } from './cli.ts'
import { progress, silent } from './progress.ts'
import { report } from './report.ts'
import { resultOf, type TaskResult } from './result.ts'
import { type Task, timeSpent } from './run.ts'
import { onStop, type StopSignal } from './signals.ts'
import type { Hosted } from './start.ts'
import { usageFailure } from './usage.ts'

export interface FollowOptions {
  readonly host: Hosted
  readonly id: string
  readonly args: Args
  readonly task: Task
  /** Become the holder, when the holder is gone. */
  readonly takeOver: () => Promise<Result<Agent>>
}

export type Followed =
  | { readonly kind: 'ended'; readonly exit: number }
  | { readonly kind: 'refused'; readonly failure: Failure }
  /** The holder went away; the item was posted and may have been claimed. Events before `from` were told as they are. */
  | { readonly kind: 'taken'; readonly agent: Agent; readonly item: string; readonly from: number }

/** How long nothing is heard before it is asked whether the holder still lives, in milliseconds. */
const silenceMs = 2_000

/** Give a task to the process that holds the session, and follow the log until the task's turn has ended. */
export async function follow(cli: Cli, options: FollowOptions): Promise<Followed> {
  const { host, id, args, task } = options
  const store = host.host.get(StorePort)
  if (!store) throw new Error('the row "store" is not mounted')
  const bytes = await store.read(id)
  if (!bytes.ok) return { kind: 'refused', failure: bytes.failure }
  const read = await readLog(bytes.value, { hasher: host.ports.hasher })
  if (!read.ok) return { kind: 'refused', failure: read.failure }
  const { events } = read.value
  const differs = differing(args, events)
  if (differs) return { kind: 'refused', failure: differs }
  const item = host.ports.id('in')
  const content = typeof task.text === 'string' ? [{ type: 'text', text: task.text } as const] : task.text
  const input = { kind: 'input', id: item, delivery: 'followup', content, source: { kind: 'person' } } as const
  await using following = new Following(cli, options, { store, item, events: [...events] })
  const posted = await following.post(input)
  if (!posted.ok) return { kind: 'refused', failure: posted.failure }
  cli.err(task.quiet ? '' : `rein: session ${id} is open elsewhere; the task was posted there\n`)
  return await following.end()
}

/** A follower cannot change what the holder runs with. */
function differing(args: Args, events: readonly SessionEvent[]): Failure | undefined {
  const known = fold(header, events)?.header
  const model = known && `${known.provider}/${known.model}`
  const host = args.value('base-url')
  const wanted = host === undefined ? args.value('model') : `${new URL(host).host}/${args.value('model')}`
  const mode = args.value('mode')
  if (mode !== undefined && mode !== fold(permission, events).mode) return refusal('--mode')
  if (wanted !== undefined && wanted !== model) {
    const same = host === undefined || new URL(host).host === known?.provider
    return known ? refusal(same ? '--model' : '--base-url') : unsure(host === undefined ? '--model' : '--base-url')
  }
  // Who is asked there is there; who asks to be asked here as well answers from here.
  if (args.value('approve') === 'never') return refusal('--approve')
  for (const flag of ['max-steps', 'plugin', 'preset']) if (args.has(flag)) return refusal(`--${flag}`)
  return undefined
}

/** The log names a model with the first request. */
const unsure = (flag: string) =>
  usageFailure(
    `The session is open in another process and has not used a model yet, so ${flag} might not hold there.`,
    `Leave ${flag} out, or end that process first.`,
  )

const refusal = (flag: string) =>
  usageFailure(
    `The session is open in another process, and ${flag} would not hold there.`,
    `Leave ${flag} out, or end that process first.`,
  )

/** One posted task until its turn has ended. */
class Following implements AsyncDisposable {
  readonly #cli: Cli
  readonly #options: FollowOptions
  readonly #store: Store
  readonly #item: string
  readonly #events: SessionEvent[]
  readonly #over = new AbortController()
  readonly #told: ReturnType<typeof progress>
  readonly #stopping: Disposable
  readonly #answering: Answering | undefined
  readonly #timer: NodeJS.Timeout | undefined
  #failure: Failure | undefined
  #heard = performance.now()
  #signal: StopSignal | undefined
  #late: Failure | undefined
  /** What was asked to be stopped already: the waiting item, then its turn. */
  #asked: 'nothing' | 'item' | 'turn' = 'nothing'
  #posted: Promise<Result<void>> | undefined

  constructor(cli: Cli, options: FollowOptions, of: { store: Store; item: string; events: SessionEvent[] }) {
    this.#cli = cli
    this.#options = options
    this.#store = of.store
    this.#item = of.item
    this.#events = of.events
    const { task, args } = options
    if (args.value('approve') === 'ask')
      this.#answering = new Answering(cli, { store: of.store, id: options.id, events: of.events })
    this.#told = task.quiet ? silent : progress(cli, { cwd: cli.cwd, verbose: task.verbose === true })
    this.#stopping = onStop((signal) => {
      this.#signal = signal
      void this.#stop()
    })
    const ms = task.timeoutMs
    if (ms === undefined) return
    this.#timer = setTimeout(() => {
      this.#late = timeSpent(ms)
      void this.#stop()
    }, ms)
  }

  /** From here on a signal takes back what was posted: it must not run when nobody waits for it any more. */
  post(item: Posted): Promise<Result<void>> {
    this.#posted = this.#store.post(this.#options.id, item)
    return this.#posted
  }

  async end(): Promise<Followed> {
    const taken = this.#watchHolder()
    // Awaited once the log is followed no further, which may be long after it failed.
    taken.catch(() => this.#over.abort())
    const result = await this.#result().catch((cause) => this.#unfollowed(cause))
    this.#over.abort()
    const agent = await taken
    if (agent)
      return { kind: 'taken', agent, item: this.#item, from: sameUntil(this.#events, agent.session.log.events) }
    if (!result) return { kind: 'refused', failure: this.#failure ?? lost }
    const { id, task } = this.#options
    const told = this.#told
    const given = this.#late ? { ...result, outcome: 'budget' as const, error: this.#late } : result
    const reported = { session: id, result: given, events: this.#events, told, signal: this.#signal }
    return { kind: 'ended', exit: await report(this.#cli, task, reported) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort()
    clearTimeout(this.#timer)
    this.#answering?.[Symbol.dispose]()
    this.#stopping[Symbol.dispose]()
  }

  /** A log that can be followed no further: whoever is about to take over still may. */
  #unfollowed(cause: unknown): undefined {
    if (!(cause instanceof FailureError)) throw cause
    this.#failure ??= cause.failure
  }

  async #result(): Promise<TaskResult | undefined> {
    const from = this.#events.length
    for await (const news of this.#store.watch(this.#options.id, from, this.#over.signal)) {
      this.#heard = performance.now()
      if (news.kind === 'reset') this.#reset(news.from)
      else for (const line of news.lines) await this.#line(line)
      const result = resultOf(this.#events.slice(from), this.#item)
      if (result) return result
      if (this.#signal !== undefined || this.#late !== undefined) await this.#stop()
    }
    return undefined
  }

  #reset(from: number): void {
    this.#events.length = Math.min(this.#events.length, from)
    this.#answering?.reset(from)
  }

  async #line(line: string): Promise<void> {
    const event: SessionEvent = JSON.parse(line)
    this.#events.push(event)
    if (this.#options.task.json) await this.#cli.out(`${line}\n`)
    this.#told.event(event)
    this.#answering?.event(event)
  }

  /** Withdraw the item while it waits; once it is claimed, stop its turn. */
  async #stop(): Promise<void> {
    await this.#posted
    const claimed = this.#events.some(
      ({ type, data }) => type === 'user/message' && 'item' in data && data.item === this.#item,
    )
    const next = claimed ? 'turn' : 'item'
    if (this.#asked === next || this.#asked === 'turn') return
    this.#asked = next
    const id = `${this.#item}-stop-${next}`
    const cancel = { kind: 'cancel', id, ...(claimed ? {} : { item: this.#item }) } as const
    const posted = await this.#store.post(this.#options.id, cancel)
    if (!posted.ok) this.#cli.err(`rein: ${posted.failure.message}\n`)
  }

  /** @returns the agent when this process became the holder. */
  async #watchHolder(): Promise<Agent | undefined> {
    const { signal } = this.#over
    while (!signal.aborted) {
      await nap(silenceMs / 2, signal)
      if (signal.aborted || performance.now() - this.#heard < silenceMs) continue
      const taken = await this.#options.takeOver()
      if (!taken.ok && taken.failure.code === 'SESSION_BUSY') continue
      this.#over.abort()
      if (taken.ok) return taken.value
      this.#failure = taken.failure
    }
    return undefined
  }
}

/** How many events two logs begin with in common: what a frozen holder wrote too late is in none but its own. */
function sameUntil(told: readonly SessionEvent[], events: readonly SessionEvent[]): number {
  const differs = told.findIndex(({ hash }, seq) => events[seq]?.hash !== hash)
  return differs === -1 ? told.length : differs
}

const lost: Failure = {
  code: 'SESSION_MISSING',
  message: 'The session could not be followed to the end of the turn.',
  next: 'Look for it with `rein sessions`.',
}

const nap = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
