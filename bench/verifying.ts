import { nodeHasher } from '@rein/harness'
import { readLog, SessionLog, surface, verify } from '@rein/session'
import { madeLog, mixed, noBlobs, nowhere, ports, someHeader } from './made-logs.ts'
import { cpu, inTurn, median, type Row } from './measure.ts'

const block = 4 * 1024 * 1024
const megabyte = 1024 * 1024
/** Steps that make logs of about 10, 50 and 100 MB. */
const sizes = [2_400, 12_000, 24_000] as const
/** Rewinds, and replaces, of a log that has little else. */
const moves = 5_000

/** Prove every request of logs of several sizes, and of logs made to be slow, beside only opening them. */
export async function verifying(): Promise<Row[]> {
  const rows: Row[] = []
  const perMegabyte: number[] = []
  for (const steps of sizes) {
    const { lines } = await madeLog({ steps, header: someHeader, results: mixed })
    const bytes = Buffer.from(`${lines.join('\n')}\n`)
    const { row, cpuMs } = await provedBeside(bytes, { name: 'open and verify a log', requests: steps })
    perMegabyte.push(cpuMs / (bytes.length / megabyte))
    rows.push(row)
  }
  const [small = 0] = perMegabyte
  const large = perMegabyte.at(-1) ?? 0
  const budget = { words: '≤ 1.3 × the smallest log', limit: 1.3 * small }
  const name = 'verify, CPU per MB of the largest log'
  rows.push({ name, unit: 'ms', ours: large, bare: small, budget, note: 'bare: per MB of the smallest log' })
  for (const kind of ['rewinds', 'replaces'] as const) {
    const bytes = await moved(kind)
    rows.push((await provedBeside(bytes, { name: `open and verify ${moves} ${kind}`, requests: 0 })).row)
  }
  return rows
}

async function provedBeside(bytes: Buffer, { name, requests }: { name: string; requests: number }) {
  const open = async () => {
    const read = await readLog(blocks(bytes), { hasher: nodeHasher })
    if (!read.ok) throw new Error(read.failure.message)
    return read.value
  }
  const proof = async () => {
    const found = verify(await open(), { hasher: nodeHasher, blob: noBlobs })
    if (found.proved !== requests || found.answer !== 'clean')
      throw new Error(`${found.answer}: ${found.problems.slice(0, 5).join('\n')}`)
  }
  const ratios: number[] = []
  const taken = await inTurn(7, {
    // The two stand beside each other in every round: machines change their pace between rounds.
    both: async () => {
      const figures = [await cpu(proof), await cpu(open)] as const
      ratios.push(figures[0] / figures[1])
      return figures[0]
    },
    open: () => cpu(open),
  })
  const budget = { words: '≤ 2 × open', limit: 2 * taken.open }
  const note = `${Math.round(bytes.length / megabyte)} MB, ${requests} requests; ${median(ratios).toFixed(2)} × open`
  const row: Row = { name, unit: 'CPU ms', ours: taken.both, bare: taken.open, budget, note }
  return { row, cpuMs: taken.both }
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
