import { Around, Observe } from '@rein/kernel'
import type { RequestOutcome, RequestRun, TurnStopping } from '../agent/hooks.ts'
import type { AgentParts } from '../agent/parts.ts'
import { playedApproval, playedSet, playedSpill, type RunCall } from './played-calls.ts'
import { playedProvider } from './played-provider.ts'
import type { Stage } from './stage.ts'

/**
 * Today's parts, with stand-ins where something outside would answer. Of the hooks only `admit` runs: what the others
 * do is in the log as posts, notes and compactions, and is given.
 */
export function playedParts(today: AgentParts, stage: Stage, run: RunCall): AgentParts {
  const { admit } = today.hooks
  return {
    ...today,
    hooks: {
      admit,
      aroundRequest: new RequestInTurn(stage),
      turnStopping: new StoppingInTurn(stage),
      onEvent: new Observe(),
    },
    set: playedSet(today.set, stage, run),
    approval: playedApproval(today.approval, stage),
    provider(name) {
      const lease = today.provider(name)
      return {
        value: playedProvider(name, lease?.value, stage),
        [Symbol.dispose]: () => lease?.[Symbol.dispose](),
      }
    },
    spill: playedSpill(stage),
  }
}

/** What plugins post when a turn is about to end. */
class StoppingInTurn extends Around<TurnStopping, void> {
  readonly #stage: Stage

  constructor(stage: Stage) {
    super()
    this.#stage = stage
  }

  override async run(): Promise<void> {
    this.#stage.giveAll()
  }
}

/** A compaction that made a failure go away is given; that it did is found by what was recorded next. */
class RequestInTurn extends Around<RequestRun, RequestOutcome> {
  readonly #stage: Stage

  constructor(stage: Stage) {
    super()
    this.#stage = stage
  }

  override async run(input: RequestRun, work: (input: RequestRun) => Promise<RequestOutcome>): Promise<RequestOutcome> {
    this.#stage.giveAll()
    const outcome = await work(input)
    this.#stage.giveAll()
    const { events } = this.#stage.recording
    const [before, next] = [events[this.#stage.length() - 1], events[this.#stage.length()]]
    const wentAway = before?.type === 'compaction/end' && next?.type === 'retry/scheduled' && next.data.waitMs === 0
    return outcome.kind === 'failed' && wentAway ? { kind: 'retry', failure: outcome.failure } : outcome
  }
}
