import { Around, Guard, type Refusal, type Slot } from '@rein/kernel'
import type { Content, DataOf, EventNamed } from '@rein/session'
import type { Spill, ToolOutput } from '../tools/definition.ts'
import type { Approval, CheckedCall, ToolSet } from '../tools/ports.ts'
import type { Stage } from './stage.ts'

/** What a call came to, when it is not taken from the recording. */
export type RunCall = (checked: CheckedCall, recorded: DataOf<'tool/result'>) => Promise<ToolOutput>

const never = Number.POSITIVE_INFINITY

/** Today's tools, guards and parameters around runs that only give back what is recorded. Wrappers of runs rest too. */
export function playedSet(today: ToolSet, stage: Stage, run: RunCall): ToolSet {
  return {
    tools: today.tools,
    guardCall: new GuardInTurn(today.guardCall, stage),
    aroundCall: new RunInTurn(stage, run),
  }
}

/** Nothing of a call is decided before its place in the recording. */
class GuardInTurn extends Guard<CheckedCall> {
  readonly #today: Guard<CheckedCall>
  readonly #stage: Stage

  constructor(today: Guard<CheckedCall>, stage: Stage) {
    super()
    this.#today = today
    this.#stage = stage
  }

  override async ask(checked: CheckedCall): Promise<Refusal | undefined> {
    const { turnstile, recording } = this.#stage
    await turnstile.before(recording.calls.first(checked.call.id))
    return this.#today.ask(checked)
  }
}

class RunInTurn extends Around<CheckedCall, ToolOutput> {
  readonly #stage: Stage
  readonly #run: RunCall

  constructor(stage: Stage, run: RunCall) {
    super()
    this.#stage = stage
    this.#run = run
  }

  override async run(checked: CheckedCall): Promise<ToolOutput> {
    const { recording, turnstile, until } = this.#stage
    const { id } = checked.call
    const result = recording.calls.result(id)
    // The process died while it ran.
    if (!result || result.seq >= until) await turnstile.before(never)
    const output = result ? await this.#run(checked, result.data) : lost
    await turnstile.before(recording.calls.ended(id) ?? 0)
    if (result?.data.outcome.kind === 'cancelled') await this.#stage.stopSoon(result.seq)
    return output
  }
}

const lost: ToolOutput = { kind: 'cancelled', content: 'Nothing is recorded of this call.' }

/** Today's rules for what is asked; the answers are those of the log. */
export function playedApproval(today: Slot<Approval>, stage: Stage): Slot<Approval> {
  const { turnstile, recording } = stage
  const playing = async <R>(approval: Approval, work: (approval: Approval) => R | PromiseLike<R>): Promise<R> => {
    let asked: string | undefined
    const answer = await work({
      needed(checked) {
        asked = checked.call.id
        return approval.needed(checked)
      },
      ask: ({ id }) => answerTo(recording.calls.decided(id), stage),
    })
    if (asked !== undefined) await turnstile.before(recording.calls.permitted(asked) ?? 0)
    return answer
  }
  return { ...today, use: (work) => today.use((approval) => playing(approval, work)) }
}

async function answerTo(decided: EventNamed<'approval/decided'> | undefined, stage: Stage) {
  if (!decided || decided.seq >= stage.until) await stage.turnstile.before(never)
  const { decision, by, words } = decided?.data ?? { decision: 'unanswered', by: 'nobody', words: undefined }
  await stage.turnstile.before(decided?.seq ?? 0)
  if (decided && by === 'cancelled') await stage.stopSoon(decided.seq)
  return { decision, by, ...(words !== undefined && { words }) } as const
}

/** The output a recorded result was made of. */
export function outputOf({ outcome, content, view, seen }: DataOf<'tool/result'>): ToolOutput {
  const shown = view === undefined ? {} : { view }
  const extras = { ...shown, ...(seen && { seen }) }
  switch (outcome.kind) {
    case 'done':
      return { kind: 'done', content, ...extras }
    case 'failed':
      return { kind: 'failed', failure: outcome.failure, content: textOf(content), ...extras }
    case 'timed-out':
      return { kind: 'timed-out', afterMs: outcome.afterMs, content: textOf(content), ...shown }
    case 'denied':
      return { kind: 'denied', by: outcome.by, reason: outcome.reason, content: textOf(content) }
    case 'cancelled':
    case 'not-started':
    case 'unknown':
      return { kind: 'cancelled', content: textOf(content), ...shown }
  }
}

/**
 * The whole of what a result was cut from, where it is still there: so today's limit cuts it again.
 * @param read the text of a spill file; undefined when it is gone or was cut itself.
 */
export async function wholeOf(
  result: DataOf<'tool/result'>,
  read: (path: string) => Promise<string | undefined>,
): Promise<ToolOutput> {
  const text = result.spill === undefined ? undefined : await read(result.spill)
  if (text === undefined) return outputOf(result)
  const others = result.content.filter((part) => part.type !== 'text')
  return outputOf({ ...result, content: [{ type: 'text', text }, ...others] })
}

/** Spill files that are named as they were and written nowhere. */
export const playedSpill = ({ recording }: Stage): Spill => ({
  async open(name) {
    const call = name.endsWith('.txt') ? name.slice(0, -4) : name
    const path = recording.calls.result(call)?.data.spill ?? `(not written)/${name}`
    return { path, write: async () => undefined, close: async () => undefined }
  },
})

export const textOf = (content: readonly Content[]): string =>
  content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
