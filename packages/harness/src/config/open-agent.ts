import type { Host, Lease, Registry } from '@rein/kernel'
import type { Content, Holder, LiveSession, PermissionMode, Result, SessionOptions } from '@rein/session'
import { createSession, cwdOf, forkSession, header, permission, resumeSession } from '@rein/session'
import { Agent } from '../agent/agent.ts'
import type { ModelChoice } from '../agent/header.ts'
import { Hooks } from '../agent/hooks.ts'
import { LoopPort } from '../agent/loop.ts'
import type { AgentParts } from '../agent/parts.ts'
import type { Provider } from '../model/provider.ts'
import { PromptPort } from '../prompt/prompt.ts'
import { processHolder } from '../store/jsonl/holder.ts'
import type { SessionStore } from '../store/session-store.ts'
import { ApprovalPort, Tools } from '../tools/ports.ts'
import { SnapshotsPort } from '../undo/snapshots.ts'
import { ChunkLogPort } from './rows/chunks.ts'
import { Providers, type Secrets, SecretsPort, StorePort } from './rows/core.ts'
import { SandboxPort } from './rows/shell.ts'
import { WorldPort } from './world.ts'

export type SessionStart =
  | { readonly kind: 'new' }
  | { readonly kind: 'resume'; readonly id: string }
  | { readonly kind: 'fork'; readonly id: string; readonly at?: number }

export interface AgentOptions {
  readonly start: SessionStart
  /** Undefined: what the session used last. */
  readonly model: ModelChoice | undefined
  /** Of a session that never ran and so has no model of its own; default: it cannot be opened. */
  readonly otherwise?: ModelChoice | undefined
  /** Undefined: what the session has; a new one takes that of the settings. */
  readonly mode: PermissionMode | undefined
  /** Steps a turn may take. */
  readonly steps: number
  /** Longest wait between attempts, in milliseconds. */
  readonly maxWaitMs: number
  readonly chance?: () => number
  /** Version of rein, for the log. */
  readonly rein: string
}

/** Open a session and give it its agent. The host must have been composed; the agent closes its session itself. */
export async function openAgent(host: Host, options: AgentOptions): Promise<Result<Agent>> {
  const world = need(host.get(WorldPort), 'world')
  const store = need(host.get(StorePort), 'store')
  const holder: Holder = processHolder()
  const opened = await openSession({ store, ports: world.ports, holder, rein: options.rein }, options.start, world.cwd)
  if (!opened.ok) return opened
  const session = opened.value
  const choice = options.model ?? lastModel(session) ?? options.otherwise
  if (!choice) {
    await session.close()
    return { ok: false, failure: noModel }
  }
  recordMode(session, options.mode ?? session.log.state(permission).mode ?? world.settings.permissions.mode, host)
  const cwd = cwdOf(session.log.events) || world.cwd
  const parts = await partsOf(host, { session, store, cwd })
  const { steps, maxWaitMs, chance = Math.random } = options
  const files = host.get(SnapshotsPort)?.enter(parts.callSession, session.log)
  const loop = files ? files.around(parts.loop) : parts.loop
  const agent = new Agent({ ...parts, loop }, { cwd, steps, maxWaitMs, chance }, choice)
  files?.watch(agent)
  return { ok: true, value: agent }
}

function openSession(options: SessionOptions, start: SessionStart, cwd: string): Promise<Result<LiveSession>> {
  switch (start.kind) {
    case 'new':
      return createSession(options, cwd)
    case 'resume':
      return resumeSession(options, start.id, cwd)
    case 'fork':
      return forkSession(options, start)
  }
}

export async function partsOf(
  host: Host,
  at: { readonly session: LiveSession; readonly store: SessionStore; readonly cwd: string },
): Promise<AgentParts> {
  const { session, store, cwd } = at
  const providers: Registry<Provider> = need(host.get(Providers), 'providers')
  const lineage = [session.id, ...session.log.events.flatMap((e) => (e.type === 'session/fork' ? [e.data.parent] : []))]
  const folders = await Promise.all(lineage.map((id) => store.spillFolder(id)))
  const spillFolders = folders.filter((folder) => folder !== undefined)
  return {
    session,
    ports: need(host.get(WorldPort), 'world').ports,
    hooks: need(host.get(Hooks), 'hooks'),
    set: need(host.get(Tools), 'tools'),
    loop: host.slot(LoopPort),
    prompt: host.slot(PromptPort),
    approval: host.slot(ApprovalPort),
    provider: (name) => recording(host, session, providers.lease(name)),
    spill: store.spill(session.id),
    callSession: { id: session.id, cwd, spillFolders, state: (fold) => session.log.state(fold) },
    redact: redactionBy(need(host.get(SecretsPort), 'secrets')),
  }
}

/** The pinned provider, its replies written to the log while they stream, when somebody is there to do it. */
function recording(host: Host, { log }: LiveSession, pin: Lease<Provider> | undefined): Lease<Provider> | undefined {
  const record = host.get(ChunkLogPort)
  if (!record || !pin) return pin
  return { value: record(pin.value, log), [Symbol.dispose]: () => pin[Symbol.dispose]() }
}

const redactionBy = ({ redactor, known }: Secrets): AgentParts['redact'] => ({
  content: (content) =>
    content.map((part): Content => (part.type === 'text' ? { ...part, text: redactor.text(part.text) } : part)),
  json: (value) => redactor.content(value),
  reply: (reply) => known.content(reply),
})

function lastModel({ log }: LiveSession): ModelChoice | undefined {
  const known = log.state(header)?.header
  return known && { provider: known.provider, model: known.model }
}

/** What the agent may do, and what enforces it, as events: the model is told from them, and so is the person. */
export function recordMode({ log }: LiveSession, mode: PermissionMode, host: Host): void {
  const before = log.state(permission)
  if (before.mode !== mode) log.append('permission/mode', { mode, by: before.mode ? 'person' : 'settings' })
  const report = host.slot(SandboxPort).current()?.report
  if (!report) return
  const { backend, level, missing } = report
  const known = before.enforced
  if (known?.backend !== backend || known.level !== level || known.mode !== mode)
    log.append('sandbox/enforced', { backend, level, missing, mode })
}

const noModel = {
  code: 'NO_PROVIDER',
  message: 'No model was chosen.',
  next: 'Say which with --model PROVIDER/MODEL, --base-url URL --model NAME, or `model:` in rein.yaml.',
} as const

function need<T>(value: T | undefined, row: string): T {
  if (value === undefined) throw new Error(`the row "${row}" is not mounted`)
  return value
}
