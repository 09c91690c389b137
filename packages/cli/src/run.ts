import {
  type Content,
  type Failure,
  FailureError,
  inbox,
  removalOf,
  type SessionEvent,
  type SessionLog,
  waitingIn,
} from '@rein/session'
import type { Cli } from './cli.ts'
import { EventStream } from './event-stream.ts'
import { exits } from './exit.ts'
import { progress, silent } from './progress.ts'
import { report } from './report.ts'
import { resultOf, type TaskResult } from './result.ts'
import { onStop, type StopSignal } from './signals.ts'
import type { Running } from './start.ts'
import { ReaderGone } from './writer.ts'

/** One task and how its run is told. */
export interface Task {
  /** What is said; text is one text part. */
  readonly text: string | readonly Content[]
  /** Events on stdout, a result line last; otherwise the answer. */
  readonly json: boolean
  /** Nothing on stderr but errors. */
  readonly quiet: boolean
  readonly verbose?: boolean
  /** Milliseconds after which the run ends with TIME. */
  readonly timeoutMs?: number
  /** Id of the inbox item, when the same task was posted before: it is taken once. */
  readonly item?: string
  /** First event `--json` gives, when those before it were given already; default where this process opened the session. */
  readonly from?: number
}

/**
 * One task from post to result. Does not close the session. Stops at the first SIGINT or SIGTERM, when the time is up
 * and when nobody reads stdout any more; whatever was said until then is in the log.
 * @returns the exit code.
 */
export async function runTask(cli: Cli, running: Running, task: Task): Promise<number> {
  const { agent } = running
  const { log } = agent.session
  let signal: StopSignal | undefined
  let unread = false
  using _signals = onStop((stopped) => {
    signal = stopped
    void agent.cancel()
  })
  using _timer = timer(task.timeoutMs, (failure) => void agent.cancel({ outcome: 'budget', error: failure }))
  using stream = task.json
    ? new EventStream(cli, log, {
        from: task.from,
        gone: () => {
          unread = true
          void agent.cancel()
        },
      })
    : undefined
  const told = task.quiet ? silent : progress(cli, { cwd: agent.settings.cwd, verbose: task.verbose === true })
  told.opened(agent.session)
  using _told = log.onWritten((event) => told.event(event))
  const item = (task.item && released(running, task.item)) ?? running.ports.id('in')
  const failure = await posted(running, task, item)
  await agent.whenIdle()
  const lost = await unwritten(log)
  const result = lost
    ? broken(log.events, lost)
    : (resultOf(log.events, item) ?? broken(log.events, failure ?? agent.failure ?? stopped))
  await stream?.drained()
  if (unread) return exits.error
  return toReader(() => report(cli, task, { session: agent.session.id, result, events: log.events, told, signal }))
}

/**
 * Under which id a task that was posted before is to be posted now. When its holder died it may wait parked, and only
 * a new post starts what is parked: then it is taken back, to be posted anew.
 */
function released({ agent }: Running, item: string): string | undefined {
  const { log } = agent.session
  const state = log.state(inbox)
  const waiting = waitingIn(state).find(({ id }) => id === item)
  if (state.parked === undefined || !waiting) return item
  log.append('inbox/spliced', removalOf(waiting, 'withdrawn'))
  return undefined
}

async function posted(running: Running, task: Task, id: string): Promise<Failure | undefined> {
  const content: readonly Content[] = typeof task.text === 'string' ? [{ type: 'text', text: task.text }] : task.text
  try {
    await running.agent.post({ id, delivery: 'followup', content, source: { kind: 'person' } })
    return undefined
  } catch (error) {
    if (error instanceof FailureError) return error.failure
    throw error
  }
}

/** Why the log could not be written to its end: an end that is not in it did not happen, whatever memory says. */
async function unwritten(log: SessionLog): Promise<Failure | undefined> {
  try {
    await log.synced()
    return undefined
  } catch (error) {
    if (error instanceof FailureError) return error.failure
    throw error
  }
}

/** A reader that leaves during the last lines leaves like one that leaves before. */
async function toReader(write: () => Promise<number>): Promise<number> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof ReaderGone) return exits.error
    throw error
  }
}

function timer(ms: number | undefined, end: (failure: Failure) => void): Disposable {
  if (ms === undefined) return { [Symbol.dispose]: () => undefined }
  const timeout = setTimeout(() => end(timeSpent(ms)), ms)
  return { [Symbol.dispose]: () => clearTimeout(timeout) }
}

export const timeSpent = (ms: number): Failure => ({
  code: 'TIME',
  message: `The run used its ${ms / 1000} s.`,
  next: 'Continue it with `rein resume last`, or allow more with --timeout.',
})

const stopped: Failure = {
  code: 'PLUGIN_FAILED',
  message: 'The task was not taken up.',
  next: 'Look at the session with `rein show last`.',
}

/** The log could not be written to its end: what is known is what happened until then. */
const broken = (events: readonly SessionEvent[], error: Failure): TaskResult => ({
  outcome: 'error',
  text: '',
  steps: events.filter(({ type }) => type === 'step/start').length,
  usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 },
  cost: undefined,
  denied: [],
  error,
})
