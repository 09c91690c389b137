import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Host, RowSpec } from '@rein/kernel'
import type { PermissionMode } from '@rein/session'
import type { Agent } from '../../src/agent/agent.ts'
import { neverApproves } from '../../src/ask/approval.ts'
import { type ComposeOptions, compose } from '../../src/config/compose.ts'
import { openAgent, type SessionStart } from '../../src/config/open-agent.ts'
import { StorePort } from '../../src/config/rows/core.ts'
import { providerRow } from '../../src/config/rows/provider.ts'
import type { Settings } from '../../src/config/settings.ts'
import type { Provider } from '../../src/model/provider.ts'
import { countingPorts, value, verified } from '../agent/kit.ts'

/** The product as it is composed, in folders of its own, on a provider row named `provider:demo`. */
export class Product {
  readonly host: Host
  readonly home: string
  readonly cwd: string

  constructor(host: Host, home: string, cwd: string) {
    this.host = host
    this.home = home
    this.cwd = cwd
  }

  async open(start: SessionStart = { kind: 'new' }, mode: PermissionMode = 'full-access'): Promise<Agent> {
    const model = { provider: 'demo', model: 'm' }
    return value(await openAgent(this.host, { start, model, mode, steps: 50, maxWaitMs: 1000, rein: '0' }))
  }

  verify(id: string) {
    const store = this.host.get(StorePort)
    if (!store) throw new Error('there is no store')
    return verified(store, id)
  }

  async close(): Promise<void> {
    await this.host[Symbol.asyncDispose]()
    rmSync(this.home, { recursive: true, force: true })
    rmSync(this.cwd, { recursive: true, force: true })
  }
}

export async function product(
  provider: Provider,
  options: {
    preset?: ComposeOptions['preset']
    rows?: readonly RowSpec[]
    home?: string
    providers?: Settings['providers']
    plugins?: Settings['plugins']
    env?: NodeJS.ProcessEnv
  } = {},
): Promise<Product> {
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'rein-home-'))
  const cwd = mkdtempSync(join(tmpdir(), 'rein-cwd-'))
  const settings = {
    providers: options.providers ?? {},
    permissions: { mode: 'full-access', env: { inherit: true, keep: [] } },
    budgets: { steps: 200 },
    plugins: options.plugins ?? {},
  } as const
  const ports = countingPorts()
  const world = {
    home,
    userHome: home,
    cwd,
    env: options.env ?? process.env,
    ports,
    settings,
    person: false,
    approvals: neverApproves,
  }
  const rows = [{ id: 'provider:demo', plugin: providerRow(provider) }, ...(options.rows ?? [])]
  return new Product(value(await compose({ preset: options.preset ?? 'standard', world, rows })), home, cwd)
}

export const say = async (agent: Agent, text: string): Promise<void> => {
  await agent.post({ delivery: 'followup', content: [{ type: 'text', text }], source: { kind: 'person' } })
  await agent.whenIdle()
}
