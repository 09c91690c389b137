import { existsSync } from 'node:fs'
import { inRoot } from '../scripts/root.ts'
import { scratch } from './made-logs.ts'
import { inTurn, median, type Row } from './measure.ts'
import { startModel } from './model-process.ts'
import { nodeProcess } from './node-process.ts'

const rein = inRoot('packages/cli/bin/rein.js')

interface Run {
  /** CPU milliseconds of the whole process when the request began to arrive; null where the system does not tell. */
  readonly cpuMs: number | null
  readonly wallMs: number
  readonly wholeCpuMs: number
  readonly peakMb: number
}

/** How much starting the built command costs: with nothing to do, and up to its first request to a model. */
export async function startup(): Promise<Row[]> {
  if (!existsSync(inRoot('packages/cli/dist/main.js'))) throw new Error('not built: run npm run build first')
  using folder = scratch()
  const home = folder.path
  const env = { REIN_HOME: home }
  const model = await startModel('text')
  const runs: Run[] = []
  const bareWall: number[] = []
  const taken = await inTurn(11, {
    bare: async () => {
      const started = performance.now()
      const { cpuMs } = await nodeProcess(['-e', '0'])
      bareWall.push(performance.now() - started)
      return cpuMs
    },
    version: async () => (await nodeProcess([rein, '--version'], { env })).cpuMs,
    task: async () => {
      const task = [rein, '-p', 'hello', '--quiet', '--base-url', model.baseUrl, '--model', 'bench', '--cwd', home]
      let arrival: ReturnType<typeof model.arrival> | undefined
      const started = performance.timeOrigin + performance.now()
      const whole = await nodeProcess(task, {
        env,
        onSpawn: (pid) => {
          arrival = model.arrival(pid)
        },
      })
      const arrived = await arrival
      if (!arrived) throw new Error('rein -p could not be started')
      const { cpuMs, at } = arrived
      runs.push({ cpuMs, wallMs: at - started, wholeCpuMs: whole.cpuMs, peakMb: whole.peakMb })
      return whole.cpuMs
    },
  })
  model.close()
  // The first round only warms up.
  return rowsOf({ ...taken, bareWall: median(bareWall.slice(1)), runs: runs.slice(1) })
}

function rowsOf(taken: { bare: number; version: number; bareWall: number; runs: readonly Run[] }): Row[] {
  const { bare, version, bareWall, runs } = taken
  const unit = 'CPU ms'
  const within = (most: number) => ({ words: `≤ node -e 0 + ${most} ms`, limit: bare + most })
  const toRequest = runs.flatMap(({ cpuMs }) => cpuMs ?? [])
  const cpuRow: Row = {
    name: 'rein -p, to its first request',
    unit,
    ours: median(toRequest),
    bare,
    budget: within(120),
  }
  const figure = (of: (run: Run) => number) => median(runs.map(of))
  return [
    { name: 'rein --version', unit, ours: version, bare, budget: within(30) },
    ...(toRequest.length > 0 ? [cpuRow] : []),
    { name: 'rein -p, to its first request', unit: 'wall ms', ours: figure(({ wallMs }) => wallMs), bare: bareWall },
    { name: 'rein -p, whole run', unit, ours: figure(({ wholeCpuMs }) => wholeCpuMs), bare },
    {
      name: 'rein -p, peak memory',
      unit: 'MB',
      ours: figure(({ peakMb }) => peakMb),
      bare: null,
      budget: { words: '≤ 90 MB', limit: 90 },
    },
  ]
}
