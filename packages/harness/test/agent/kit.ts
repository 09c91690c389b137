import { type Lease, Registry, Scope, type Slot } from '@rein/kernel'
import {
  type Content,
  check,
  createSession,
  type EventNamed,
  type EventType,
  type LiveSession,
  MemoryStore,
  type Ports,
  type Result,
  readLog,
  resumeSession,
  type SessionEvent,
  type Store,
  type Verification,
  verify,
} from '@rein/session'
import { Agent, type Input } from '../../src/agent/agent.ts'
import { AgentHooks } from '../../src/agent/hooks.ts'
import { type Loop, standardLoop } from '../../src/agent/loop.ts'
import type { AgentParts } from '../../src/agent/parts.ts'
import type { Provider } from '../../src/model/provider.ts'
import { type ScriptEntry, scriptedProvider } from '../../src/model/scripted.ts'
import type { Prompt } from '../../src/prompt/prompt.ts'
import { nodeHasher } from '../../src/store/hasher.ts'
import type { Tool } from '../../src/tools/definition.ts'
import { type Approval, ToolSet } from '../../src/tools/ports.ts'

export { recordingStore } from './recording-store.ts'
export { calls, heldTool, stopped, testTool } from './test-tools.ts'

/** Ports that count: no clock, no chance. */
export function countingPorts(from = 0): Ports {
  let ids = from
  let time = 1_764_500_000_000
  return { now: () => ++time, id: (prefix) => `${prefix}-${++ids}`, hasher: nodeHasher }
}

export const slot = <T>(value: T, name = 'test'): Slot<T> => ({
  name,
  lease: (): Lease<T> => ({ value, [Symbol.dispose]: () => undefined }),
  current: () => value,
  use: async (work) => work(value),
})

export const open: Approval = {
  needed: async () => undefined,
  ask: async () => ({ decision: 'unanswered', by: 'nobody' }),
}

const plainPrompt: Prompt = {
  system: () => ({ text: 'You are a test.', sections: [] }),
  context: () => undefined,
}

export interface StageOptions {
  readonly script?: readonly ScriptEntry[]
  readonly provider?: Provider
  readonly tools?: readonly Tool[]
  readonly store?: Store
  readonly ports?: Ports
  /** Resume this session in place of starting one. */
  readonly resume?: string
  readonly approval?: Approval
  readonly prompt?: Prompt
  readonly loop?: Loop
  readonly steps?: number
  readonly maxWaitMs?: number
  readonly spill?: AgentParts['spill']
  readonly redact?: AgentParts['redact']
}

export const untouched: AgentParts['redact'] = {
  content: (content) => content,
  json: (value) => value,
  reply: (reply) => reply,
}

/** An agent on a stage: everything around it is small, real and in memory. */
export class Stage {
  readonly agent: Agent
  readonly session: LiveSession
  readonly store: Store
  readonly hooks: AgentHooks
  readonly set: ToolSet
  readonly scope: Scope

  constructor(agent: Agent, parts: AgentParts, scope: Scope) {
    this.agent = agent
    this.session = parts.session
    this.store = parts.session.store
    this.hooks = parts.hooks
    this.set = parts.set
    this.scope = scope
  }

  get events(): readonly SessionEvent[] {
    return this.session.log.events
  }

  /** Post what a person says; resolves when it is durable. */
  post(text: string, delivery: Input['delivery'] = 'followup', id?: string): Promise<string> {
    const content: Content[] = [{ type: 'text', text }]
    return this.agent.post({ delivery, content, source: { kind: 'person' }, ...(id !== undefined && { id }) })
  }

  /** Post, and wait until nothing runs any more. */
  async say(text: string): Promise<void> {
    await this.post(text)
    await this.agent.whenIdle()
  }

  all<T extends EventType>(type: T): readonly EventNamed<T>[] {
    return this.events.filter((event): event is EventNamed<T> => event.type === type)
  }

  /** Event types in order; only those named, when any is. */
  types(...only: readonly EventType[]): readonly EventType[] {
    const types = this.events.map(({ type }) => type)
    return only.length === 0 ? types : types.filter((type) => only.includes(type))
  }

  outcomes(): readonly string[] {
    return this.all('turn/end').map(({ data }) => data.outcome)
  }

  /** The kind of every result, in the order of the log. */
  results(): readonly string[] {
    return this.all('tool/result').map(({ data }) => data.outcome.kind)
  }

  /** What the model reads of the results, in the order of the log. */
  resultTexts(): readonly string[] {
    return this.all('tool/result').map(({ data }) => textOf(data.content))
  }

  /** What was said on the surface by people, plugins and the harness. */
  said(): readonly string[] {
    return this.all('user/message').map(({ data }) => textOf(data.content))
  }

  /** Resolves with the first event of that type that is appended from now on. */
  next<T extends EventType>(type: T): Promise<EventNamed<T>> {
    return new Promise((resolve) => {
      const listening = this.session.log.onLine((_line, event) => {
        if (event.type !== type) return
        listening[Symbol.dispose]()
        resolve(event as EventNamed<T>)
      })
    })
  }

  violations() {
    return check(this.events)
  }

  verify(): Promise<Verification> {
    return verified(this.store, this.session.id)
  }

  async close(): Promise<void> {
    await this.agent.close()
    await this.scope.close()
  }
}

export async function stage(options: StageOptions = {}): Promise<Stage> {
  const ports = options.ports ?? countingPorts()
  const store = options.store ?? new MemoryStore({ hasher: nodeHasher, now: ports.now })
  const holder = { host: 'test', pid: 1, started: '0' }
  const opened = { store, ports, holder, rein: '0' }
  const session = value(
    options.resume === undefined ? await createSession(opened, '/work') : await resumeSession(opened, options.resume),
  )
  const scope = new Scope('test')
  const parts = partsOf(options, { session, ports, scope })
  const { steps = 50, maxWaitMs = 60_000 } = options
  const settings = { cwd: '/work', steps, maxWaitMs, chance: () => 0 }
  return new Stage(new Agent(parts, settings, { provider: 'scripted', model: 'm' }), parts, scope)
}

/** Everything an agent is made of, small and in memory. */
export function partsOf(options: StageOptions, at: { session: LiveSession; ports: Ports; scope: Scope }): AgentParts {
  const { session, ports, scope } = at
  const set = new ToolSet()
  for (const one of options.tools ?? []) set.tools.add(scope, one.name, one)
  const providers = new Registry<Provider>('provider')
  providers.add(scope, 'scripted', options.provider ?? scriptedProvider({ script: options.script ?? [] }))
  return {
    session,
    ports,
    hooks: new AgentHooks(),
    set,
    loop: slot(options.loop ?? standardLoop),
    prompt: slot(options.prompt ?? plainPrompt),
    approval: slot(options.approval ?? open),
    provider: (name) => providers.lease(name),
    spill: options.spill ?? memorySpill(),
    callSession: { id: session.id, cwd: '/work', spillFolders: ['/spill'], state: (fold) => session.log.state(fold) },
    redact: options.redact ?? untouched,
  }
}

export function memorySpill(files: Map<string, string> = new Map()): AgentParts['spill'] {
  return {
    open: async (name) => {
      const path = `/spill/${name}`
      return {
        path,
        write: async (bytes) => void files.set(path, (files.get(path) ?? '') + new TextDecoder().decode(bytes)),
        close: async () => undefined,
      }
    },
  }
}

export const textOf = (content: readonly Content[]): string =>
  content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n')

/** The raw log, as a store has it. */
export async function logBytes(store: Store, id: string): Promise<Buffer> {
  const blocks: Uint8Array[] = []
  for await (const block of value(await store.read(id))) blocks.push(block)
  return Buffer.concat(blocks)
}

export async function verified(store: Store, id: string): Promise<Verification> {
  const read = value(await readLog(value(await store.read(id)), { hasher: nodeHasher }))
  return verify(read, { hasher: nodeHasher, blob: () => undefined })
}

export function value<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new Error(`${result.failure.code}: ${result.failure.message}`)
}
