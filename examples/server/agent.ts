import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import {
  type Agent,
  compose,
  defaults,
  homePath,
  makeHome,
  neverApproves,
  nodeHasher,
  openAgent,
  type PresetName,
} from '@rein/harness'

type Rows = NonNullable<Parameters<typeof compose>[0]['rows']>

/** What every embedding does: compose a host from a preset and rows of one's own, then open an agent in it. */
export async function startAgent(options: {
  readonly preset: PresetName
  readonly rows: Rows
  readonly provider: string
}) {
  const home = homePath(process.env, homedir())
  await makeHome(home)
  const world = {
    home,
    userHome: homedir(),
    cwd: process.cwd(),
    env: process.env,
    ports: { now: Date.now, id: (prefix: string) => `${prefix}-${randomUUID()}`, hasher: nodeHasher },
    settings: defaults().settings,
    person: false,
    approvals: neverApproves,
  }
  const host = await compose({ preset: options.preset, world, rows: options.rows })
  if (!host.ok) throw new Error(host.failure.message)
  const model = { provider: options.provider, model: 'local' }
  const limits = { steps: 10, maxWaitMs: 1000, rein: 'example' }
  const agent = await openAgent(host.value, { start: { kind: 'new' }, model, mode: undefined, ...limits })
  if (!agent.ok) throw new Error(agent.failure.message)
  return { host: host.value, agent: agent.value }
}

/** Post a message, and wait until the agent rests. Throws unless the last turn completed. */
export async function say(agent: Agent, text: string): Promise<void> {
  await agent.post({ delivery: 'followup', content: [{ type: 'text', text }], source: { kind: 'person' } })
  await agent.whenIdle()
  const end = agent.session.log.events.findLast((event) => event.type === 'turn/end')
  if (end?.data.outcome !== 'completed') throw new Error(JSON.stringify(end?.data ?? agent.failure))
}
