import { homedir } from 'node:os'
import {
  type Agent,
  ApprovalQueue,
  compose,
  defaults,
  type ModelChoice,
  neverApproves,
  openAgent,
  type PresetName,
  type SessionStart,
  type Settings,
} from '@rein/harness'
import type { PermissionMode, Ports, Result } from '@rein/session'
import type { Cli } from './cli.ts'
import { modelInForce, modelNamed } from './model.ts'
import { realPorts } from './ports.ts'

/** What `compose` takes and gives. */
type RowSpec = NonNullable<Parameters<typeof compose>[0]['rows']>[number]
type Host = Parameters<typeof openAgent>[0]

export interface StartOptions {
  /** Default: a new session. */
  readonly start?: SessionStart
  /** Default: what applies where nobody says anything. */
  readonly settings?: Settings
  readonly preset: PresetName
  /** Rows besides those of preset and settings, such as a scripted provider. */
  readonly rows?: readonly RowSpec[]
  /** Default: what a resumed session used last, else that of the settings. */
  readonly model?: ModelChoice
  /** Of a session that never ran and so used none; default that of the settings. */
  readonly otherwise?: ModelChoice
  /** Absolute; default the directory of the command. */
  readonly cwd?: string
  readonly mode?: PermissionMode
  /** Longest wait between attempts, in milliseconds; default ten minutes. */
  readonly maxWaitMs?: number
  /** Nothing is told but errors. */
  readonly quiet?: boolean
  readonly ports?: Ports
  /** From 0 up to 1, 1 excluded; jitter of retries. */
  readonly chance?: () => number
  /** Whether somebody is there to answer what `approvals` then holds; without, every question is answered no. */
  readonly person: boolean
}

/** Plugins that run, and no session yet. */
export interface Hosted extends AsyncDisposable {
  readonly host: Host
  readonly approvals: ApprovalQueue
  readonly settings: Settings
  readonly ports: Ports
  /** Nothing is told but errors. */
  readonly quiet: boolean
}

/** A session in the hands of this process. */
export interface Running {
  readonly host: Host
  readonly agent: Agent
  /** Questions that wait for the person; always empty without one. */
  readonly approvals: ApprovalQueue
  readonly ports: Ports
  /** End the running turn, write everything, give the session back, undo every plugin. */
  close(): Promise<void>
}

/** Compose the plugins and open a session. What fails has undone everything it began. */
export async function startAgent(cli: Cli, options: StartOptions): Promise<Result<Running>> {
  const hosted = await startHost(cli, options)
  if (!hosted.ok) return hosted
  const agent = await openSession(cli, hosted.value, options)
  if (!agent.ok) {
    await hosted.value[Symbol.asyncDispose]()
    return agent
  }
  return { ok: true, value: running(hosted.value, agent.value) }
}

export const running = (hosted: Hosted, agent: Agent): Running => ({
  host: hosted.host,
  agent,
  approvals: hosted.approvals,
  ports: hosted.ports,
  close: async () => {
    await agent.close()
    await hosted[Symbol.asyncDispose]()
  },
})

export async function startHost(cli: Cli, options: StartOptions): Promise<Result<Hosted>> {
  const { settings = defaults().settings, ports = realPorts, person, preset, rows = [], quiet = false } = options
  const approvals = new ApprovalQueue()
  const world = {
    home: cli.home,
    userHome: homedir(),
    cwd: options.cwd ?? cli.cwd,
    env: cli.env,
    ports,
    settings,
    person,
    approvals: person ? approvals : neverApproves,
  }
  const host = await compose({ preset, world, rows })
  if (!host.ok) return host
  const value = host.value
  const dispose = () => value[Symbol.asyncDispose]()
  return { ok: true, value: { host: value, approvals, settings, ports, quiet, [Symbol.asyncDispose]: dispose } }
}

/** Ten minutes: what a wait may take when nothing shorter is said. */
export const longestWaitMs = 600_000
/** When somebody removed the limit from the settings. */
export const noLimit = Number.MAX_SAFE_INTEGER

/**
 * Open a session on plugins that run. The model's provider must exist and its key must be there: fails `NO_PROVIDER`
 * with the nearest name, or `NO_CREDENTIAL` naming the variable or file, before a new session is made.
 */
export async function openSession(cli: Cli, hosted: Hosted, options: StartOptions): Promise<Result<Agent>> {
  const { host, settings } = hosted
  const start = options.start ?? { kind: 'new' }
  const standing = settings.model === undefined ? undefined : modelNamed(settings.model)
  if (standing?.ok === false) return standing
  const wanted = options.model ?? (start.kind === 'new' ? standing?.value : undefined)
  if (!wanted && start.kind === 'new') return { ok: false, failure: noModel }
  if (wanted) {
    const usable = await modelInForce(cli, hosted, wanted)
    if (!usable.ok) return usable
  }
  const agent = await openAgent(host, {
    start,
    model: wanted,
    otherwise: options.otherwise ?? standing?.value,
    mode: options.mode,
    steps: settings.budgets.steps ?? noLimit,
    maxWaitMs: options.maxWaitMs ?? longestWaitMs,
    ...(options.chance && { chance: options.chance }),
    rein: cli.version,
  })
  if (!agent.ok || wanted) return agent
  const usable = await modelInForce(cli, hosted, agent.value.model)
  if (usable.ok) return agent
  await agent.value.close()
  return usable
}

const noModel = {
  code: 'NO_PROVIDER',
  message: 'No model was chosen.',
  next: 'Say which with --model PROVIDER/MODEL, --base-url URL --model NAME, or `model:` in rein.yaml.',
} as const
