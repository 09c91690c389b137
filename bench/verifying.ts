import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { nodeHasher } from '@rein/harness'
import { type ReadLog, readLog, SessionLog, surface, verify } from '@rein/session'
import { bundle } from '../scripts/bundle.ts'
import { madeLog, mixed, noBlobs, nowhere, ports, scratch, someHeader, storedSession } from './made-logs.ts'
import { cpu, inTurn, median, type Row } from './measure.ts'
import { nodeProcess } from './node-process.ts'

const block = 4 * 1024 * 1024
const megabyte = 1024 * 1024
/** Steps that make logs of about 10, 50 and 100 MB. */
const sizes = [2_400, 12_000, 26_500] as const
/** Rewinds, and replaces, of a log that has little else. */
const moves = 5_000
const rein = join(import.meta.dirname, '../packages/cli/bin/rein.js')

/**
 * Prove every request of logs of several sizes, and of logs made to be slow. Reading recomputes the chain, as opening
 * does; what proving does behind it stands beside the reading, and the whole command beside a process that only opens.
 */
export async function verifying(): Promise<Row[]> {
  const rows: Row[] = []
  const perMegabyte: number[] = []
  for (const steps of sizes) {
    const { lines } = await madeLog({ steps, header: someHeader, results: mixed })
    const bytes = Buffer.from(`${lines.join('\n')}\n`)
    const row = await provedBeside(bytes, { name: 'prove a log that was read', requests: steps })
    perMegabyte.push(row.ours / (bytes.length / megabyte))
    rows.push(row)
  }
  const [small = 0] = perMegabyte
  const large = perMegabyte.at(-1) ?? 0
  const budget = { words: '≤ 1.3 × the smallest log', limit: 1.3 * small }
  const name = 'prove, CPU per MB of the largest log'
  rows.push({ name, unit: 'ms', ours: large, bare: small, budget, note: 'bare: per MB of the smallest log' })
  for (const kind of ['rewinds', 'replaces'] as const)
    rows.push(await provedBeside(await moved(kind), { name: `prove ${moves} ${kind}`, requests: 0 }))
  for (const steps of sizes) rows.push(...(await commanded(steps)))
  return rows
}

async function provedBeside(bytes: Buffer, { name, requests }: { name: string; requests: number }): Promise<Row> {
  let read: ReadLog | undefined
  const open = async () => {
    const found = await readLog(blocks(bytes), { hasher: nodeHasher })
    if (!found.ok) throw new Error(found.failure.message)
    read = found.value
  }
  const proof = () => {
    const found = read && verify(read, { hasher: nodeHasher, blob: noBlobs })
    if (found?.proved !== requests || found.answer !== 'clean')
      throw new Error(`${found?.answer}: ${found?.problems.slice(0, 5).join('\n')}`)
  }
  const ratios: number[] = []
  const taken = await inTurn(7, {
    // The two stand beside each other in every round: machines change their pace between rounds.
    open: async () => {
      const figures = [await cpu(open), await cpu(proof)] as const
      ratios.push((figures[0] + figures[1]) / figures[0])
      return figures[0]
    },
    proof: () => cpu(proof),
  })
  const budget = { words: '≤ open: both ≤ 2 × open', limit: taken.open }
  const note = `${Math.round(bytes.length / megabyte)} MB, ${requests} requests; both ${median(ratios).toFixed(2)} × open`
  return { name, unit: 'CPU ms', ours: taken.proof, bare: taken.open, budget, note }
}

/** `rein verify` as a person runs it, beside a process that opens the session as a resume does. */
async function commanded(steps: number): Promise<Row[]> {
  using folder = scratch()
  const home = folder.path
  const program = join(home, 'program')
  await bundle(join(import.meta.dirname, 'open-process.ts'), program)
  const id = await storedSession({ home, cwd: home }, { steps, header: someHeader, results: mixed })
  const peaks: number[] = []
  const taken = await inTurn(7, {
    verify: async () => {
      const { cpuMs, peakMb } = await nodeProcess([rein, 'verify', id], { env: { REIN_HOME: home } })
      peaks.push(peakMb)
      return cpuMs
    },
    open: async () => (await nodeProcess([join(program, 'main.js'), 'rein', home, id])).cpuMs,
  })
  const [path = ''] = globSync(join(home, `sessions/**/${id}*.jsonl`))
  const note = `${Math.round(statSync(path).size / megabyte)} MB, ${steps} requests`
  const budget = { words: '≤ 2 × open', limit: 2 * taken.open }
  const memory = { words: '≤ 400 MB', limit: 400 }
  return [
    { name: '`rein verify`, whole process', unit: 'CPU ms', ours: taken.verify, bare: taken.open, budget, note },
    { name: '`rein verify`, peak memory', unit: 'MB', ours: median(peaks), bare: null, budget: memory, note },
  ]
}

/** A surface of 5,000 messages, of which each move changes one. */
async function moved(kind: 'rewinds' | 'replaces'): Promise<Buffer> {
  const lines: string[] = []
  const log = new SessionLog({ ports, sink: { ...nowhere, append: async (_seq, more) => void lines.push(...more) } })
  const source = { kind: 'person' } as const
  const say = (text: string) => log.append('user/message', { content: [{ type: 'text', text }], source }).seq
  log.append('session/start', { format: 1, id: 'bench', cwd: '/', rein: 'bench' })
  const first = say('first')
  for (let number = 1; number < moves; number++) say('as it stands in many sessions '.repeat(10))
  for (let number = 0; number < moves; number++) {
    if (kind === 'rewinds') log.append('session/rewound', { to: say('taken back') - 1, by: 'person' })
    else {
      const seq = log.state(surface).messages.at(number % moves)?.seq ?? first
      const content = [{ type: 'text', text: 'instead' }] as const
      log.append('user/message', { content, source }, { surface: { replace: [seq, seq] }, sources: [seq] })
    }
  }
  await log.written()
  return Buffer.from(`${lines.join('\n')}\n`)
}

async function* blocks(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += block) yield bytes.subarray(at, at + block)
}
