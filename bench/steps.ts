import { mkdirSync, writeFileSync } from 'node:fs'
import { Agent as Connections, request } from 'node:http'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type Agent, compose, defaults, makeHome, neverApproves, openAgent, type SessionStart } from '@rein/harness'
import type { Header } from '@rein/session'
import { ports, scratch, storedSession } from './made-logs.ts'
import { inTurn, type Row } from './measure.ts'
import { type ModelProcess, startModel } from './model-process.ts'

const lengths = [10, 100, 1000, 5000] as const
const rounds = 7
/** Steps of one turn; the gaps between their requests are what is measured. */
const turnSteps = 9
const resultBytes = 300

/** From the last byte of a reply to the first byte of the next request, one `read` call between, at several lengths. */
export async function steps(): Promise<Row[]> {
  using folder = scratch()
  const cwd = join(folder.path, 'project')
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'note.txt'), 'a line of text\n'.repeat(resultBytes / 15))
  const model = await startModel('read')
  const { host, open } = await harness({ home: join(folder.path, 'home'), cwd }, model)
  const header = await probedHeader(open)
  const probes: Record<string, () => Promise<readonly number[]>> = {}
  const sizes = new Map<number, number>()
  for (const steps of lengths) {
    const id = await storedSession({ home: join(folder.path, 'home'), cwd }, { steps, header, results: [resultBytes] })
    probes[`ours ${steps}`] = async () => {
      // A fork each time, so that step 10 stays step 10.
      const agent = await open({ kind: 'fork', id }, turnSteps)
      await turn(agent)
      sizes.set(steps, bodySize(agent))
      await agent.close()
      return model.gaps()
    }
    probes[`bare ${steps}`] = () => bareTurn(model, sizes.get(steps) ?? 0)
  }
  const taken = await inTurn(rounds, probes)
  await host[Symbol.asyncDispose]()
  model.close()
  return rowsOf(taken, sizes)
}

function rowsOf(taken: Record<string, number>, sizes: ReadonlyMap<number, number>): Row[] {
  const first = taken['ours 10'] ?? Number.NaN
  const last = taken['ours 5000'] ?? Number.NaN
  const each = lengths.map((length): Row => {
    const [ours = Number.NaN, bare = Number.NaN] = [taken[`ours ${length}`], taken[`bare ${length}`]]
    const note = `request of ${Math.round((sizes.get(length) ?? 0) / 1024)} KB`
    return {
      name: `step overhead at step ${length}`,
      unit: 'wall ms',
      ours,
      bare,
      budget: { words: '≤ 3 ms', limit: 3 },
      note,
    }
  })
  const budget = { words: '≤ 1.3 × step 10', limit: 1.3 * first }
  return [...each, { name: 'step 5000 beside step 10', unit: 'wall ms', ours: last, bare: first, budget }]
}

type Open = (start: SessionStart, steps: number) => Promise<Agent>

/** The real thing: preset, JSONL store, provider over HTTP, barriers on. */
async function harness({ home, cwd }: { home: string; cwd: string }, { baseUrl }: ModelProcess) {
  await makeHome(home)
  const bench = { dialect: 'openai-chat', baseUrl, key: 'none', models: {}, quirks: {} } as const
  const settings = { ...defaults().settings, providers: { bench } }
  const around = { home, userHome: homedir(), cwd, env: process.env, person: false, approvals: neverApproves }
  const host = await compose({ preset: 'headless', world: { ...around, ports, settings } })
  if (!host.ok) throw new Error(host.failure.message)
  const open: Open = async (start, steps) => {
    const model = { provider: 'bench', model: 'bench' }
    const agent = await openAgent(host.value, { start, model, mode: undefined, steps, maxWaitMs: 1000, rein: 'bench' })
    if (!agent.ok) throw new Error(agent.failure.message)
    return agent.value
  }
  return { host: host.value, open }
}

/** What the agent itself puts in front of its requests: under it the long sessions are written. */
async function probedHeader(open: Open): Promise<Header> {
  const agent = await open({ kind: 'new' }, 1)
  await turn(agent)
  const event = agent.session.log.events.find((each) => each.type === 'request/header')
  await agent.close()
  if (event?.type !== 'request/header') throw new Error('the probe sent no request')
  return event.data
}

/** One turn that ends because its steps are spent. Throws when it ended in any other way. */
async function turn(agent: Agent): Promise<void> {
  const content = [{ type: 'text', text: 'go on' }] as const
  await agent.post({ delivery: 'followup', content, source: { kind: 'person' } })
  await agent.whenIdle()
  const end = agent.session.log.events.findLast((event) => event.type === 'turn/end')
  if (end?.type !== 'turn/end' || end.data.error?.code !== 'STEPS')
    throw new Error(JSON.stringify(end?.data ?? agent.failure))
}

function bodySize(agent: Agent): number {
  const sent = agent.session.log.events.findLast((event) => event.type === 'request/sent')
  if (sent?.type !== 'request/sent' || sent.data.broke)
    throw new Error(`not a step that goes on: ${JSON.stringify(sent)}`)
  return sent.data.bytes
}

/** The same exchange without a harness: a body of the same size, sent again as soon as the reply has ended. */
async function bareTurn(model: ModelProcess, size: number): Promise<readonly number[]> {
  const agent = new Connections({ keepAlive: true })
  const body = Buffer.alloc(size, 32)
  const headers = { 'content-type': 'application/json', 'content-length': size }
  for (let count = 0; count < turnSteps; count++)
    await new Promise<void>((done, fail) => {
      request(`${model.baseUrl}/chat/completions`, { method: 'POST', agent, headers })
        .on('response', (response) => response.resume().on('end', done))
        .on('error', fail)
        .end(body)
    })
  agent.destroy()
  return model.gaps()
}
