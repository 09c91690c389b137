import type { Lease, Slot } from '@rein/kernel'
import type { Content, LiveSession, Ports } from '@rein/session'
import type { Reply } from '../model/assembler.ts'
import type { Provider } from '../model/provider.ts'
import type { Sleep } from '../model/sleep.ts'
import type { Prompt } from '../prompt/prompt.ts'
import type { Spill } from '../tools/definition.ts'
import type { Approval, CallSession, ToolSet } from '../tools/ports.ts'
import type { AgentHooks } from './hooks.ts'
import type { Loop } from './loop.ts'

export interface Redaction {
  content(content: readonly Content[]): readonly Content[]
  /** @param value JSON. */
  json<T>(value: T): T
  /** Only values that were used to authenticate: what looks like a secret is the model's own text here. */
  reply(reply: Reply): Reply
}

/** What an agent stands on. Slots are pinned for the shortest unit that keeps work whole (docs/architecture.md). */
export interface AgentParts {
  readonly session: LiveSession
  readonly ports: Ports
  readonly hooks: AgentHooks
  readonly set: ToolSet
  readonly loop: Slot<Loop>
  readonly prompt: Slot<Prompt>
  readonly approval: Slot<Approval>
  /** Pin the provider of that name for one attempt; undefined when there is none. */
  readonly provider: (name: string) => Lease<Provider> | undefined
  readonly spill: Spill
  readonly callSession: CallSession
  /** Replaces secrets in what is about to be logged. */
  readonly redact: Redaction
}

export interface AgentSettings {
  readonly cwd: string
  /** Steps a turn may take. */
  readonly steps: number
  /** Longest wait between attempts, in milliseconds. */
  readonly maxWaitMs: number
  /** From 0 up to 1, 1 excluded. */
  readonly chance: () => number
  /** Waits between attempts. Default: as long as it is told, by a timer. */
  readonly sleep?: Sleep
}
