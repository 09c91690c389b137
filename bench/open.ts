import { join } from 'node:path'
import { bundle } from '../scripts/bundle.ts'
import { mixed, scratch, someHeader, storedSession } from './made-logs.ts'
import { inTurn, median, type Row } from './measure.ts'
import { nodeProcess } from './node-process.ts'
import type { Opened } from './open-process.ts'

const megabyte = 1024 * 1024
/** Fills 100 MB with results of mixed sizes. */
const steps = 26_500

interface Run extends Opened {
  /** Peak resident memory of the process, MB. */
  readonly peakMb: number
}

/** Open a log of 100 MB as a resume does, in a process of its own each time, beside splitting and parsing its lines. */
export async function open(): Promise<Row[]> {
  using folder = scratch()
  const home = folder.path
  // Bundled as the command is: stripping types costs memory that no user pays.
  const program = join(home, 'program')
  await bundle(join(import.meta.dirname, 'open-process.ts'), program)
  const shape = { steps, header: someHeader, results: mixed }
  const logs = {
    plain: await storedSession({ home, cwd: home }, shape),
    wide: await storedSession({ home, cwd: home }, { ...shape, wideEvery: 10 }),
  }
  const seen = new Map<string, Run[]>()
  const run = (how: 'rein' | 'bare', log: keyof typeof logs) => async () => {
    const { stdout, peakMb } = await nodeProcess(['--expose-gc', join(program, 'main.js'), how, home, logs[log]])
    const opened: Run = { ...(JSON.parse(stdout) as Opened), peakMb }
    seen.set(`${how} ${log}`, [...(seen.get(`${how} ${log}`) ?? []), opened])
    return opened.cpuMs
  }
  const plain = { ours: run('rein', 'plain'), bare: run('bare', 'plain') }
  const wide = { oursWide: run('rein', 'wide'), bareWide: run('bare', 'wide') }
  await inTurn(7, { ...plain, ...wide })
  return [...rowsOf(seen, 'plain'), ...rowsOf(seen, 'wide')]
}

function rowsOf(seen: ReadonlyMap<string, readonly Run[]>, log: 'plain' | 'wide'): Row[] {
  // The first round only warms up.
  const runs = (how: 'rein' | 'bare') => (seen.get(`${how} ${log}`) ?? []).slice(1)
  const of = (figure: 'cpuMs' | 'peakMb' | 'keptMb' | 'wallMs') => ({
    ours: median(runs('rein').map((opened) => opened[figure])),
    bare: median(runs('bare').map((opened) => opened[figure])),
  })
  const [first] = runs('rein')
  const note = `${Math.round((first?.bytes ?? 0) / megabyte)} MB, ${first?.events} events`
  const name = log === 'plain' ? 'open a log' : 'open a log, ✓ in 1 of 10 results'
  const time = of('cpuMs')
  const budget = { words: '≤ 1.8 × split and JSON.parse', limit: 1.8 * time.bare }
  return [
    { name, unit: 'CPU ms', ...time, budget, note },
    { name, unit: 'wall ms', ...of('wallMs'), note },
    { name: `${name}, peak memory`, unit: 'MB', ...of('peakMb'), budget: { words: '≤ 400 MB', limit: 400 }, note },
    { name: `${name}, kept on the heap`, unit: 'MB', ...of('keptMb'), note },
  ]
}
