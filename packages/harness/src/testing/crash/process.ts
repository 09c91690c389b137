import { type Lease, Registry, Scope, type Slot } from '@rein/kernel'
import type { Content, Delivery, Failure, Holder, LiveSession, NewHasher, Ports, Result, Store } from '@rein/session'
import { createSession, FailureError, forkSession, resumeSession } from '@rein/session'
import { Agent } from '../../agent/agent.ts'
import { AgentHooks } from '../../agent/hooks.ts'
import { standardLoop } from '../../agent/loop.ts'
import type { AgentParts } from '../../agent/parts.ts'
import { recorded } from '../../model/chunk-log.ts'
import type { Provider } from '../../model/provider.ts'
import type { Prompt } from '../../prompt/prompt.ts'
import { ToolSet } from '../../tools/ports.ts'
import { approvalIn } from './approval.ts'
import { obedientModel } from './obedient-model.ts'
import { type Moments, toolsIn } from './tools.ts'
import type { World } from './world.ts'

export type Start =
  | { readonly kind: 'new' }
  | { readonly kind: 'resume'; readonly id: string }
  | { readonly kind: 'fork'; readonly id: string; readonly at: number }

export interface ProcessOptions {
  readonly store: Store
  readonly world: World
  readonly holder: Holder
  readonly hasher: NewHasher
  /** Which process of a run this is, from 0: no two make the same id. */
  readonly number: number
  /** The store as another process has it, through which a script posts without the lease. */
  readonly other: Store
}

/** One process: agents on one store, everything else small, real and in memory. */
export class Process {
  readonly world: World
  readonly other: Store
  /** What happens while a call runs, by label. */
  readonly moments: Moments = new Map()
  readonly #options: ProcessOptions
  readonly #ports: Ports
  readonly #open: CrashAgent[] = []

  constructor(options: ProcessOptions) {
    this.world = options.world
    this.other = options.other
    this.#options = options
    this.#ports = portsOf(options)
  }

  /** @throws FailureError when it cannot be opened. */
  async open(start: Start = { kind: 'new' }): Promise<CrashAgent> {
    const { store, holder } = this.#options
    const options = { store, ports: this.#ports, holder, rein: '0' }
    const session = value(
      start.kind === 'new'
        ? await createSession(options, '/work')
        : start.kind === 'resume'
          ? await resumeSession(options, start.id)
          : await forkSession(options, start),
    )
    const agent = this.#agentOf(session)
    this.#open.push(agent)
    return agent
  }

  /** Why one of its agents can do nothing more. */
  failure(): Failure | undefined {
    return this.#open.map(({ agent }) => agent.failure).find((failure) => failure !== undefined)
  }

  /** The process is gone: nothing of it goes on running. What it would still have written fails, and is nobody's loss. */
  async end(): Promise<void> {
    for (const agent of this.#open) await agent.close()
  }

  #agentOf(session: LiveSession): CrashAgent {
    const scope = new Scope('crash')
    const set = new ToolSet()
    const hooks = new AgentHooks()
    const providers = new Registry<Provider>('provider')
    const recording = { log: session.log, now: this.#ports.now, redact: nothingHidden }
    providers.add(scope, 'obedient', recorded(obedientModel(this.world), recording))
    const parts: AgentParts = {
      session,
      ports: this.#ports,
      hooks,
      set,
      loop: slot(standardLoop),
      prompt: slot(plainPrompt),
      approval: slot(approvalIn(this.other)),
      provider: (name) => providers.lease(name),
      spill: { open: () => Promise.reject(new Error('nothing here is long enough to be spilled')) },
      callSession: { id: session.id, cwd: '/work', spillFolders: [], state: (fold) => session.log.state(fold) },
      redact: { content: (content) => content, json: (json) => json, reply: (reply) => reply },
    }
    const settings = { cwd: '/work', steps: 200, maxWaitMs: 1000, chance: () => 0 }
    const agent = new CrashAgent(new Agent(parts, settings, { provider: 'obedient', model: 'm' }), this, {
      hooks,
      scope,
    })
    for (const tool of toolsIn(this)) set.tools.add(scope, tool.name, tool)
    return agent
  }
}

/** An agent, and what a script does with it. */
export class CrashAgent {
  readonly agent: Agent
  readonly hooks: AgentHooks
  readonly scope: Scope
  readonly #of: Process

  constructor(agent: Agent, of: Process, parts: { readonly hooks: AgentHooks; readonly scope: Scope }) {
    this.agent = agent
    this.hooks = parts.hooks
    this.#of = of
    this.scope = parts.scope
  }

  get id(): string {
    return this.agent.session.id
  }

  /** Say it here. */
  async post(text: string, delivery: Delivery = 'followup'): Promise<void> {
    const content: Content[] = [{ type: 'text', text }]
    const item = await this.agent.post({ delivery, content, source: { kind: 'person' } })
    this.#of.world.happened({ kind: 'posted', session: this.id, item })
  }

  /** Say it from another process. */
  async postFromElsewhere(text: string, item: string, delivery: Delivery = 'followup'): Promise<void> {
    const content: Content[] = [{ type: 'text', text }]
    const source = { kind: 'person' } as const
    value(await this.#of.other.post(this.id, { kind: 'input', id: item, delivery, content, source }))
    this.#of.world.happened({ kind: 'posted', session: this.id, item })
  }

  async say(text: string): Promise<void> {
    await this.post(text)
    await this.agent.whenIdle()
  }

  async close(): Promise<void> {
    try {
      await this.agent.close()
    } catch (error) {
      // A dead process does not notice that its last lines were not written.
      if (!(error instanceof FailureError)) throw error
    }
    await this.scope.close()
  }
}

function portsOf({ number, hasher }: ProcessOptions): Ports {
  let ids = 0
  let time = 1_764_500_000_000 + number * 1_000_000
  return { now: () => ++time, id: (prefix) => `${prefix}-${number}-${++ids}`, hasher }
}

const nothingHidden = {
  text: (text: string) => text,
  content: <T>(of: T) => of,
  openEnd: (text: string) => text.length,
}

const plainPrompt: Prompt = { system: () => ({ text: 'Obey.', sections: [] }), context: () => undefined }

const slot = <T>(of: T): Slot<T> => ({
  name: 'crash',
  lease: (): Lease<T> => ({ value: of, [Symbol.dispose]: () => undefined }),
  current: () => of,
  use: async (work) => work(of),
})

export function value<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new FailureError(result.failure)
}
