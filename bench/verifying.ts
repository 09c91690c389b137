import { nodeHasher } from '@rein/harness'
import { readLog, verify } from '@rein/session'
import { madeLog, mixed, noBlobs, someHeader } from './made-logs.ts'
import { cpu, inTurn, type Row } from './measure.ts'

const steps = 5000
const block = 4 * 1024 * 1024

/** Prove every request of a log, beside only opening it. */
export async function verifying(): Promise<Row[]> {
  const { lines } = await madeLog({ steps, header: someHeader, results: mixed })
  const bytes = Buffer.from(`${lines.join('\n')}\n`)
  const open = async () => {
    const read = await readLog(blocks(bytes), { hasher: nodeHasher })
    if (!read.ok) throw new Error(read.failure.message)
    return read.value
  }
  const opened = await open()
  const taken = await inTurn(7, {
    alone: () => cpu(() => proved(verify(opened, { hasher: nodeHasher, blob: noBlobs }))),
    verify: () => cpu(async () => proved(verify(await open(), { hasher: nodeHasher, blob: noBlobs }))),
    open: () => cpu(open),
  })
  const { verify: ours, alone, open: bare } = taken
  const budget = { words: '≤ 2 × open', limit: 2 * bare }
  const note = `${Math.round(bytes.length / 1024 / 1024)} MB, ${steps} requests; bare: open`
  return [
    { name: 'verify a log that is open', unit: 'CPU ms', ours: alone, bare, note },
    { name: 'open and verify a log', unit: 'CPU ms', ours, bare, budget, note },
  ]
}

function proved(found: ReturnType<typeof verify>): void {
  if (found.proved !== steps || found.answer !== 'clean')
    throw new Error(`${found.answer}: ${found.problems.join('\n')}`)
}

async function* blocks(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += block) yield bytes.subarray(at, at + block)
}
